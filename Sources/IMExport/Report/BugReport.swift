import Foundation
import IMDebugger
import IMProtocol
import IMSession
import Recorder

/// What a report adds to a recording: the words of who sends it, what it was made with, what is in it at a peek, and
/// the report for reading. Each is a part behind the recording's last event.
package struct BugReport: Equatable, Sendable {
    /// As it was given; nil where nothing was.
    package var note: String?
    package var about: About
    /// What `export --as md` writes.
    package var document: String

    /// What a program can read.
    package struct About: Codable, Equatable, Sendable {
        var schema = 1
        package var events: UInt64
        /// Whether the recording is whole; in words what is missing if not.
        var complete: String
        /// Whether replaying it gives the same.
        var verified: String
        /// One line each: what went wrong first, how it ended.
        var summary: [String]
        /// The event to go to first.
        package var moment: UInt64?
        /// Whether names and texts are pseudonyms.
        var isRedacted: Bool
        /// What the report was made with, in order.
        var versions: [Version]
    }

    package struct Version: Codable, Equatable, Sendable {
        var name: String
        var value: String
    }

    /// More than this is a document of its own.
    package static let noteLengthMax = 64 << 10

    private static let noteName = "note.txt"
    private static let aboutName = "about.json"
    private static let documentName = "report.md"

    package init(note: String?, about: About, document: String) {
        self.note = note
        self.about = about
        self.document = document
    }

    /// The parts in the order in which they are written.
    package func attachments() throws -> [SessionAttachment] {
        let encoder = JSONEncoder()
        // The same report is the same bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let about = Array(try encoder.encode(about))
        return (note.map { [SessionAttachment(name: Self.noteName, text: $0)] } ?? [])
            + [
                SessionAttachment(name: Self.aboutName, contents: about),
                SessionAttachment(name: Self.documentName, text: document),
            ]
    }

    /// The report in a recording; nil where there is none, or none that this version understands.
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
    /// What this program is. Nothing in it tells whose machine it runs on.
    package static func versions(behaviour: UInt32, of header: SessionHeader) -> [BugReport.Version] {
        [
            ("imrepl", Version.number), ("behaviour", String(behaviour)),
            ("session format", String(header.formatVersion)), ("protocol", "im.v1"), ("swift", swiftVersion),
            ("os", ProcessInfo.processInfo.operatingSystemVersionString), ("architecture", architecture),
        ].map { BugReport.Version(name: $0.0, value: $0.1) }
    }

    /// Of the compiler; the language tells nobody its own version at run time.
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
