import Foundation
import IMText

/// `--as swift-test`: a test file for any package that depends on the library `IMShell`. It plays the recording's
/// scenario again in the simulated world and expects every transition and callback. A failure points to the line of the
/// scenario in that file.
package struct SwiftTestExport {
    private let script: [String]
    private let stem: String

    package init(_ session: ExportedSession) throws {
        var export = try ScriptExport(session, expectsCallbacks: true)
        self.init(
            script: export.script(),
            stem: URL(fileURLWithPath: session.path).deletingPathExtension().lastPathComponent)
    }

    init(script: [String], stem: String) {
        self.script = script
        self.stem = stem
    }

    package var lines: [String] {
        let fence = String(repeating: "#", count: 1 + Self.longestRun(of: "#", in: script))
        let frame = """
            import IMShell
            import Testing

            /// Written by `imrepl export --as swift-test` from \(Self.plain(stem)).pcapng.
            @Suite struct \(Self.typeName(stem)) {
                @Test func theScenarioHappensAgain() throws {
                    let scenario = try ScriptTest(Self.script, named: "\(Self.escaped(stem))")
                    guard let failure = try scenario.failure() else { return }
                    let line = Self.begin + failure.line
                    let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 9)
                    Issue.record("\\(failure)", sourceLocation: place)
                }

                /// The line in front of the script's first one.
                private static let begin = #line + 1
                private static let script = \(fence)\("\"\"\"")
            """
        return frame.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            + script.map { $0.isEmpty ? "" : "        \(Self.plain($0))" } + ["        \"\"\"\(fence)", "}"]
    }

    // MARK: Text

    /// The name of the test's type: `C05KickedAgainTests` for `c-05-kicked.again`.
    static func typeName(_ stem: String) -> String {
        let words = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let begins = name.first.map(\.isLetter) ?? false
        return "\(begins ? "" : "Session")\(name)Tests"
    }

    private static func longestRun(of character: Unicode.Scalar, in lines: [String]) -> Int {
        var longest = 0
        for line in lines {
            var run = 0
            for next in line.unicodeScalars {
                run = next == character ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        return longest
    }

    /// A line of the script in a Swift literal. In the script's quoted texts, the only invisible characters are tabs,
    /// which a literal may contain. Invisible characters in its comments are escaped.
    static func plain(_ line: String) -> String {
        line.split(separator: "\t", omittingEmptySubsequences: false).map { VisibleText.of(String($0)) }
            .joined(separator: "\t")
    }

    /// A text inside a Swift string literal.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if VisibleText.isHidden(scalar) {
                escaped += VisibleText.escape(scalar).unicodeScalars
            } else {
                if scalar == "\\" || scalar == "\"" { escaped.append("\\") }
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
