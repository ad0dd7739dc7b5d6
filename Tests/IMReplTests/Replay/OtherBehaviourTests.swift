import Foundation
import IMSession
import IMSimulation
import Recorder
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl

/// Tests of a recording whose machines had another behaviour: a client of behaviour version 4 did not cancel the time
/// limit of a logout when its connection ended (CHAT-11).
@Suite struct OtherBehaviourTests {
    private static let name = "a-logout-whose-link-breaks"
    private static let number: UInt64 = 34

    private func reader(_ path: String = "behaviour-4/\(name)") throws -> SessionReader {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try SessionReader(path: tests.appending(path: "OlderRecordings/\(path).pcapng").path)
    }

    /// Before version 8, a listen had no number, and an update was one value (SYNC-4).
    @Test func `a tree from before queries is shown, replayed and redacted`() throws {
        let older = try reader("behaviour-7/writes-that-wait-for-the-link")
        #expect(try older.behaviourDifference()?.recorded == 7)
        try older.forEach { view in
            let content = SessionEvent(view, node: older.name(of: view.node), schema: IMSessionSchema()).content
            if case .unreadable(let why) = content { Issue.record("#\(view.number): \(why)") }
        }
        let text = try ExportedSession(reader: older, path: "old.pcapng").text(as: .ndjson)
        #expect(text.contains("log/a"))
        let debug = try DebugSession(older)
        for number in 0...debug.count { try debug.move(to: number) }
        let (bytes, summary, _) = try Redaction.bytes(of: older, path: "old.pcapng")
        #expect(!summary.isVerified && summary.events == older.eventCount)
        #expect(String(decoding: bytes, as: UTF8.self).firstRange(of: "log/a") == nil)
    }

    @Test func `the first difference is reported, with its node`() throws {
        let difference = try #require(try reader().behaviourDifference())
        #expect(difference.recorded == 4 && difference.current == IMSessionSchema().behaviourVersion)
        #expect(difference.divergence?.number == Self.number)
        #expect(difference.description.hasSuffix("differs from event 34 on"))
    }

    /// The events come from the file. The states come from the current machines, for each way of moving to an event.
    @Test func `it can be stepped through in both directions`() throws {
        let debug = try DebugSession(try reader())
        var states: [Replay<IMSessionSchema>] = []
        for number in 0...debug.count {
            try debug.move(to: number)
            states.append(try debug.state())
        }
        for number in (0...debug.count).reversed() {
            let fresh = try DebugSession(try reader())
            let encoded = try [states[Int(number)], fresh.timeline.state(at: number), debug.timeline.state(at: number)]
                .map { replay in try replay.machines.map { try $0.map(IMSessionSchema().encodeState) } }
            #expect(encoded[0] == encoded[1] && encoded[0] == encoded[2], "#\(number)")
        }
        let last = try #require(
            try debug.timeline.last(before: debug.count + 1) { debug.decoded($0).kind == "transition" })
        #expect(try CauseFinder(debug).explanation(of: last.number).verdict.cause == 26)
    }

    @Test(arguments: ExportFormat.allCases) func `it is exported`(form: ExportFormat) throws {
        let text = try ExportedSession(reader: try reader(), path: "old.pcapng").text(as: form)
        #expect(text.contains("alice"))
        if form == .html { #expect(text.contains("differs from event 34 on")) }
    }

    @Test func `it can be forked with the present machines`() throws {
        let decoded = try DecodedSession(try reader())
        let configuration = try WorldConfiguration(continuing: decoded.header)
        let outcome = try WhatIf(decoded, .mute, at: 26).run(configuration)
        #expect(outcome.finals.contains { $0.node == "phone" })
    }

    @Test func `a redacted one is marked as a copy, also after another redaction`() throws {
        var reader = try reader()
        for _ in 0..<2 {
            let (bytes, summary, pseudonyms) = try Redaction.bytes(of: reader, path: "old.pcapng")
            #expect(!summary.isVerified && summary.events == reader.eventCount)
            #expect(pseudonyms.entries.contains { $0.original == "alice" || $0.original == "user1" })
            let copy = try SessionReader(bytes: bytes)
            #expect(copy.header.behaviourVersion == 4 && copy.completeness == .closed)
            let pairs = zip(try reader.events(), try copy.events())
            for (original, redacted) in pairs {
                #expect(original.role == redacted.role && original.time == redacted.time)
                #expect(original.cause == redacted.cause && original.node == redacted.node)
                #expect(redacted.payload.firstRange(of: Array("alice".utf8)) == nil)
                #expect(!redacted.comment.contains("alice") && !redacted.comment.contains("phone-1"))
            }
            reader = copy
        }
    }
}
