import Foundation
import IMDebugger
import IMSession
import IMSimulation
import IMText
import Recorder
import SansIO

/// `--as md`: a report for people. It lists the session's properties, its important events and the final state of each
/// node.
package struct ReportDocument {
    /// The maximum number of listed events. Nobody reads a longer report to its end.
    static let rowsMax = 300

    let picture: SessionPicture
    let fileName: String
    /// The result of replaying the recording, as text.
    package let verification: String

    package init(_ session: ExportedSession) throws {
        picture = try SessionPicture(session)
        fileName = URL(fileURLWithPath: session.path).lastPathComponent
        verification = Self.verify(session.reader)
    }

    private static func verify(_ reader: SessionReader) -> String {
        do throws(SessionError) {
            switch try Verifier.verify(reader, schema: IMSessionSchema()) {
            case .verified(let events): return "replayed, all \(events) events identical"
            case .diverged(let divergence): return "diverged at event \(divergence.number)"
            }
        } catch {
            return "this version cannot replay it: \(error)"
        }
    }

    package var lines: [String] {
        let title = picture.header.title.isEmpty ? fileName : picture.header.title
        return ["# \(Self.escaped(title))", ""] + head + [""] + scenario + [""] + endings + marks + diagram
    }

    // MARK: Parts

    private var head: [String] {
        let header = picture.header
        let duration = (picture.events.last?.time ?? Instant.zero) - Instant.zero
        var rows = [
            ("File", fileName), ("Profile", "\(picture.profileTitle) (\(header.profile))"),
            ("Begun", WallClock(header)?.text(of: .zero) ?? "unknown: this session has no wall clock"),
            ("Lasts", "\(duration.text), \(picture.events.count) events"),
            (
                "Made by",
                "\(header.application), \(header.os), format \(header.formatVersion), "
                    + "behaviour \(header.behaviourVersion)"
            ),
        ]
        rows += header.parameters.map { ($0.key, $0.value) }
        rows.append(("Verified", verification))
        if picture.completeness != .closed { rows.append(("Complete", "no: \(picture.completeness)")) }
        rows += picture.nodes.map { node in
            (
                "Node \(node.name)",
                node.facts.filter { $0.value != "-" && $0.name != "profile" }.map { "\($0.name)=\($0.value)" }
                    .joined(separator: " ")
            )
        }
        return Self.table(["", ""], rows.map { [$0.0, $0.1] })
    }

    private var scenario: [String] {
        let listed = picture.events.filter(Self.isListed)
        var lines = ["## What happened", ""]
        lines += Self.table(
            ["#", "Time", "Node", "Event"],
            listed.prefix(Self.rowsMax).map { event in
                ["\(event.number)", "+\(event.time.secondsText)", name(of: event), event.text]
            })
        if listed.count > Self.rowsMax {
            lines += ["", "\(listed.count - Self.rowsMax) more events are in `imrepl show`."]
        }
        return lines
    }

    /// True for the events that the report lists. Of the frames, it lists only received kicks.
    private static func isListed(_ event: SessionPicture.Event) -> Bool {
        switch event.drawingKind {
        case .transition, .command, .fault, .mark, .stop: true
        case .frame: event.isKick && event.direction == "in"
        case .other: event.kind == "result" && event.weight == .essential
        case .heartbeat, .start: false
        }
    }

    private var endings: [String] {
        let rows = picture.nodes.map { node in
            let state = node.isServer ? "running" : picture.finalStates.current(of: node.name)?.name
            return [node.name, picture.finalStates.isRunning(node.name) ? state ?? "running" : "not running"]
        }
        return ["## How it ended", ""] + Self.table(["Node", "State"], rows) + [""]
    }

    private var marks: [String] {
        let marks = picture.events.filter { $0.drawingKind == .mark }
        guard !marks.isEmpty else { return [] }
        return ["## Marks", ""]
            + marks.map { "- #\($0.number) +\($0.time.secondsText) \(Self.escaped($0.facts["text"] ?? ""))" } + [""]
    }

    private var diagram: [String] {
        ["## Frames", "", "```mermaid"] + MermaidDiagram(picture: picture).lines + ["```"]
    }

    private func name(of event: SessionPicture.Event) -> String {
        event.node.map { picture.nodes[$0].name } ?? "session"
    }

    // MARK: Text

    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        return [row(head), row(head.map { _ in "---" })] + rows.map { row($0.map(escaped)) }
    }

    /// Escapes the syntax of Markdown, and replaces invisible characters, so that the text is on one line.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in VisibleText.of(text).unicodeScalars {
            switch scalar {
            case "|", "\\", "`", "*", "_", "[", "]", "<", ">", "~", "$": escaped += ["\\", scalar]
            case "&": escaped += "&amp;".unicodeScalars
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
