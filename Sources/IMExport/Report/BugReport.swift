import Foundation
import IMDebugger
import IMProtocol
import IMSession
import Recorder

/// The attachments that make a recording a report: the sender's note, the versions, a summary, and a document for
/// people. They are stored after the recording's last event.
package struct BugReport: Equatable, Sendable {
    /// The sender's note, unchanged; nil for none.
    package var note: String?
    package var about: About
    /// The output of `export --as md`.
    package var document: String

    /// The attachment for programs, as JSON.
    package struct About: Codable, Equatable, Sendable {
        var schema = 1
        package var events: UInt64
        /// `yes` if the recording is complete; otherwise `no` and what is missing.
        var complete: String
        /// The result of replaying the recording, as text.
        var verified: String
        /// The lines of the summary: the first problem, and the final states.
        var summary: [String]
        /// The number of the most important event: the first kick, or else the first failure; nil for none.
        package var moment: UInt64?
        /// True if names and texts are pseudonyms.
        var isRedacted: Bool
        /// The versions of the programs that made the report, in order.
        var versions: [Version]
    }

    package struct Version: Codable, Equatable, Sendable {
        var name: String
        var value: String
    }

    /// The maximum length of a note in bytes. A longer text should be sent separately.
    package static let noteLengthMax = 64 << 10

    private static let noteName = "note.txt"
    private static let aboutName = "about.json"
    private static let documentName = "report.md"

    package init(note: String?, about: About, document: String) {
        self.note = note
        self.about = about
        self.document = document
    }

    /// The attachments, in the order of writing.
    package func attachments() throws -> [SessionAttachment] {
        let encoder = JSONEncoder()
        // Sorted keys, so that the same report has the same bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let about = Array(try encoder.encode(about))
        return (note.map { [SessionAttachment(name: Self.noteName, text: $0)] } ?? [])
            + [
                SessionAttachment(name: Self.aboutName, contents: about),
                SessionAttachment(name: Self.documentName, text: document),
            ]
    }

    /// The report in a recording; nil if there is none that this version can read.
    init?(_ attachments: [SessionAttachment]) {
        func part(_ name: String) -> SessionAttachment? { attachments.first { $0.name == name } }
        guard let json = part(Self.aboutName),
            let about = try? JSONDecoder().decode(About.self, from: Data(json.contents))
        else { return nil }
        self.init(note: part(Self.noteName)?.text, about: about, document: part(Self.documentName)?.text ?? "")
    }

    package init?(_ reader: SessionReader) {
        self.init(reader.attachments)
    }
}

extension BugReport.About {
    /// The versions of this program, its formats and the system. They do not identify the computer.
    package static func versions(behaviour: UInt32, of header: SessionHeader) -> [BugReport.Version] {
        [
            ("imrepl", Version.number), ("behaviour", String(behaviour)),
            ("session format", String(header.formatVersion)), ("protocol", "im.v1"), ("swift", swiftVersion),
            ("os", ProcessInfo.processInfo.operatingSystemVersionString), ("architecture", architecture),
        ].map { BugReport.Version(name: $0.0, value: $0.1) }
    }

    /// The compiler's version, because Swift does not report its version at run time.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "another"
        #endif
    }
}
