import Foundation
import IMSession
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl

/// Tests of the library's recordings in version 1 of the format: they open, verify, and are explained, exported and
/// redacted. `make test` checks some of them, `make test-deep` all.
@Suite struct OlderRecordingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "OlderRecordings/format-1").path

    private static let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    static let selected = all.enumerated().filter { searchesDeeply || $0.offset.isMultiple(of: 9) }.map(\.element)

    private func reader(_ name: String) throws -> SessionReader { try SessionReader(path: "\(Self.folder)/\(name)") }

    @Test func `every older recording is present and opens`() throws {
        #expect(Self.all.count == 130)
        for name in Self.all {
            let reader = try reader(name)
            #expect(reader.header.formatVersion == 1 && reader.completeness == .closed && reader.eventCount > 2)
            try reader.forEach { view in
                #expect(view.cause == 0)
                let event = SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema())
                if case .unreadable(let why) = event.content { Issue.record("\(name) #\(view.number): \(why)") }
            }
        }
    }

    /// Recordings of machines with another behaviour are reported as such, and can still be replayed to find the
    /// difference.
    @Test(arguments: selected)
    func `they verify with the texts of today, or report another behaviour version`(name: String) throws {
        let reader = try reader(name)
        let (then, today) = (reader.header.behaviourVersion, IMSessionSchema().behaviourVersion)
        if then != today {
            #expect(throws: SessionError.otherBehaviour(found: then, expected: today)) {
                try Verifier.verify(reader, schema: IMSessionSchema())
            }
        }
        switch try Verifier.verify(reader, schema: IMSessionSchema(), behaviour: .any) {
        case .verified(let events):
            #expect(events == reader.eventCount)
            let current = try SessionLibrary.reader(String(name.dropLast(7)))
            #expect(try SessionDiff.compare(reader, current).isEmpty)
        case .diverged(let divergence):
            #expect(then != today && (1...reader.eventCount).contains(divergence.number))
        }
    }

    @Test(arguments: selected)
    func `they are explained and exported`(name: String) throws {
        let debug = try DebugSession(try reader(name))
        let finder = CauseFinder(debug)
        let last = try debug.timeline.last(before: debug.count + 1) { debug.decoded($0).kind == "transition" }
        if let last {
            let explanation = try finder.explanation(of: last.number)
            // If the current machines behave differently, their states do not show every cause. The answer "not known"
            // is correct then.
            if case .verified = try Verifier.verify(try reader(name), schema: IMSessionSchema(), behaviour: .any) {
                #expect(explanation.verdict.cause != nil, "\(name) #\(last.number): \(explanation.chain.end)")
            }
        }
        let session = try ExportedSession(reader: try reader(name), path: name)
        #expect(try PageExport(session).page().contains("</html>"))
        #expect(try !ReportDocument(session).lines.isEmpty)
        #expect(try MermaidDiagram(picture: SessionPicture(session)).lines.count > 1)
        var lines = 0
        try EventLines(session).forEach { _ in lines += 1 }
        #expect(lines == Int(debug.count))
    }

    /// The redacted recording has the current format, and contains the reconstructed causes.
    @Test(arguments: selected)
    func `they are redacted to recordings of the present format`(name: String) throws {
        let original = try reader(name)
        let redacted = try SessionReader(bytes: Redaction.bytes(of: original, path: name).bytes)
        #expect(redacted.header.recordsCauses && redacted.eventCount == original.eventCount)
        let (then, today) = (
            try redacted.eventsAndPlaces(), try SessionLibrary.reader(String(name.dropLast(7))).eventsAndPlaces()
        )
        func received(_ events: [Event]) -> [Event] {
            events.filter { $0.role == .input && $0.channel == .transport }
        }
        let (old, new) = (received(then.events), received(today.events))
        // If the current machines behave differently, or if the script has changed, the causes cannot be compared.
        guard old.map({ then.places[$0.number] }) == new.map({ today.places[$0.number] }) else { return }
        let wrong = zip(old, new).count { then.places[$0.cause] != today.places[$1.cause] }
        #expect(wrong * 20 <= old.count, "\(wrong) of \(old.count)")
    }
}

/// Identifies an event without its number, because the current version writes fewer keyframes and more events of data.
private struct EventPlace: Hashable {
    var time: Instant
    var node: NodeIndex
    var channel: Channel
    /// The number of earlier events with the same time, node and channel.
    var index = 0
}

extension SessionReader {
    /// All events except keyframes, and the identity of each by its number.
    fileprivate func eventsAndPlaces() throws -> (events: [Event], places: [UInt64: EventPlace]) {
        let events = try events().filter { $0.role != .keyframe }
        var counts: [EventPlace: Int] = [:]
        var places: [UInt64: EventPlace] = [:]
        for event in events {
            var place = EventPlace(time: event.time, node: event.node, channel: event.channel)
            place.index = counts[place, default: 0]
            counts[EventPlace(time: event.time, node: event.node, channel: event.channel), default: 0] += 1
            places[event.number] = place
        }
        return (events, places)
    }
}
