/// The colours that a terminal shows; the raw value is the number of its escape sequence (SGR).
package enum TextColour: Int, Equatable, Sendable {
    case plain = 0, bold = 1, dim = 2
    case red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36
}

/// A piece of a line, in one colour.
package struct StyledText: Equatable, Sendable {
    package var text: String
    package var colour: TextColour

    package init(_ text: String, _ colour: TextColour = .plain) {
        self.text = text
        self.colour = colour
    }
}
