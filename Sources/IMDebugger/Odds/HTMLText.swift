/// The parts that all HTML pages share. The texts in a page come from recordings and files, so they must be escaped.
package enum HTMLText {
    /// The beginning of a page, up to its title. The content security policy prevents all requests of the page.
    ///
    /// - Parameters:
    ///   - title: HTML; see ``escaped(_:)``.
    ///   - policy: additions to the content security policy, for scripts and images that the page contains; begins with
    ///     `;`.
    package static func head(_ title: String, policy: String = "") -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'\(policy)">
        <meta name="generator" content="imrepl">
        <title>\(title)</title>
        """
    }

    /// A page without scripts, with its title as the heading.
    ///
    /// - Parameters:
    ///   - title: any text.
    ///   - style: CSS.
    ///   - body: HTML, after the heading.
    package static func page(_ title: String, style: String, _ body: String) -> String {
        """
        \(head(escaped(title)))
        <style>
        \(style)
        </style>
        </head>
        <body>
        <h1>\(escaped(title))</h1>
        \(body)
        </body>
        </html>

        """
    }

    /// The style of a report's text.
    package static let reportStyle =
        "body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color-scheme:light dark}"

    /// The text as HTML: markup is escaped, and each invisible scalar is written as `\u{…}`.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _ where isHidden(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A command's argument as one word of a POSIX shell.
    package static func shellWord(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.first != "-" && text.unicodeScalars.allSatisfy(isPlainInShell)
        guard !isPlain else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    /// True if a scalar is invisible, ends a line, or changes the direction of the text after it.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func isPlainInShell(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", "+", ":", "@", "%", ",": true
        default: false
        }
    }
}
