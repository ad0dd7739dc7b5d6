import IMText

/// The prompt before the edited line.
///
/// A prompt is one row of texts without escape sequences, each with a colour. The editor adds the escape sequences, so
/// that the length of the texts is the visible width.
package struct Prompt: Equatable, Sendable {
    package var parts: [StyledText]
    /// The text at the right edge of the first row. It is hidden while the typed line needs its columns; nil for none.
    package var right: String?
    /// False if all parts are shown without colour (NO_COLOR).
    package var isColoured: Bool

    package init(_ parts: [StyledText], right: String? = nil, isColoured: Bool = true) {
        self.parts = parts
        self.right = right
        self.isColoured = isColoured
    }

    package init(_ text: String, _ colour: TextColour = .plain, right: String? = nil, isColoured: Bool = true) {
        self.init([StyledText(text, colour)], right: right, isColoured: isColoured)
    }

    /// The text of the prompt, without colours.
    package var text: String { parts.map { visible($0.text) }.joined() }

    /// The prompt for libedit. Each escape sequence is enclosed in \1, which makes it a literal: text without width.
    ///
    /// libedit attaches a literal to the following character and drops a literal at the end. So the result always ends
    /// with a blank without colour: the prompt's last blank, or an added one.
    var rendered: String {
        var shown = parts.map { StyledText(visible($0.text), isColoured ? $0.colour : .plain) }
            .filter { !$0.text.isEmpty }
        if let last = shown.last, last.colour != .plain {
            if last.text.hasSuffix(" ") {
                shown[shown.count - 1].text.removeLast()
            }
            shown.append(StyledText(" "))
        }
        return shown.map { part in
            part.colour == .plain || part.text.isEmpty
                ? part.text : "\u{1}\u{1B}[\(part.colour.rawValue)m\u{1}\(part.text)\u{1}\u{1B}[0m\u{1}"
        }.joined()
    }

    /// The right prompt for libedit, dimmed. It ends with a blank without colour, because libedit drops a literal at
    /// the end.
    var renderedRight: String? {
        guard let right = right.map(visible), !right.isEmpty else { return nil }
        return isColoured ? "\u{1}\u{1B}[2m\u{1}\(right)\u{1}\u{1B}[0m\u{1} " : right
    }

    /// The text without control characters. libedit shows only one row, so a newline would be lost, and \1 would begin
    /// a literal.
    private func visible(_ text: String) -> String {
        TerminalText.quoted(
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control })),
            keeping: .oneLine)
    }
}
