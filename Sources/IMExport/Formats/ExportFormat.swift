/// The forms that a session can be written in, as `export --as` names them.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// One page with lanes, arrows and states, for a browser.
    case html
    /// A sequence diagram for an issue.
    case mermaid
    /// A report.
    case md
    /// One JSON object a line, as `show --json` prints.
    case ndjson
    /// A script whose run makes the session anew in the simulated world.
    case script
    /// The same as a file for this package's tests.
    case swiftTest = "swift-test"

    /// What the file is called behind its dot.
    package var fileExtension: String {
        switch self {
        case .html: "html"
        case .mermaid: "mmd"
        case .md: "md"
        case .ndjson: "ndjson"
        case .script: "imr"
        case .swiftTest: "swift"
        }
    }

    /// Whether it goes into a file when nobody says where: nobody wants to read a page's source on the terminal.
    package var goesToFile: Bool {
        switch self {
        case .html: true
        case .mermaid, .md, .ndjson, .script, .swiftTest: false
        }
    }
}
