import Foundation
import Recorder
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl
@testable import IMSession
@testable import IMShell

/// Tests of Perfetto's trace and of OTLP's lines. A second implementation reads them.
@Suite struct TraceExportTests {
    /// A field of an encoded protobuf message.
    private struct Field {
        var number: Int
        var value: UInt64 = 0
        var bytes: [UInt8] = []
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private struct Malformed: Error {}

    private func fields(_ bytes: [UInt8]) throws -> [Field] {
        var (rest, found) = (bytes[...], [Field]())
        func varint() throws -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { throw Malformed() }
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            throw Malformed()
        }
        while !rest.isEmpty {
            let key = try varint()
            var field = Field(number: Int(key >> 3))
            switch key & 7 {
            case 0: field.value = try varint()
            case 1:
                guard rest.count >= 8 else { throw Malformed() }
                for shift in 0..<8 { field.value |= UInt64(rest.removeFirst()) << UInt64(8 * shift) }
            case 2:
                let count = Int(try varint())
                guard rest.count >= count else { throw Malformed() }
                field.bytes = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
            default: throw Malformed()
            }
            found.append(field)
        }
        return found
    }

    private func session(_ lines: [String]) throws -> ExportedSession {
        var settings = WorldSettings.forTests
        settings.profile = "nim"
        let plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: "a kick")
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false)
        for line in lines { try ScriptRunner.execute(try #require(try Statement.parse(line)), in: shell) }
        try shell.close()
        return try ExportedSession(reader: SessionReader(bytes: sink.bytes), path: "kick.pcapng")
    }

    /// The pad's login kicks the phone. Then the pad's connection is reset once.
    private static let kick = [
        "client new phone --platform ios", "client new pad --platform ios", "@phone login alice",
        "@phone expect state online within 5s", "@pad login alice", "@pad expect state online within 5s",
        "@phone expect state kicked within 5s", "@pad net reset", "wait 30s",
    ]

    private func bytes(_ format: ExportFormat) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try session(Self.kick).write(as: format) { bytes += $0 }
        return bytes
    }

    private struct Event {
        var time: UInt64
        var type: UInt64
        var track: UInt64
        var name: String
        var begins: [UInt64]
        var ends: [UInt64]
    }

    private struct Trace {
        /// The names of the processes, by id.
        var processes: [UInt64: String] = [:]
        /// The parent and the name of each track, by id.
        var tracks: [UInt64: (parent: UInt64, name: String)] = [:]
        var events: [Event] = []

        func id(_ process: String, _ track: String) -> UInt64? {
            tracks.first { processes[$0.value.parent] == process && $0.value.name == track }?.key
        }
    }

    private func trace() throws -> Trace {
        var trace = Trace()
        for packet in try fields(bytes(.perfetto)) {
            #expect(packet.number == 1)
            let parts = try fields(packet.bytes)
            // Field 10 of each packet is the id of its sequence.
            #expect(parts.contains { $0.number == 10 && $0.value == 1 })
            let time = parts.first { $0.number == 8 }?.value ?? 0
            for part in parts where part.number == 60 { try describe(part.bytes, in: &trace) }
            for part in parts where part.number == 11 {
                let event = try fields(part.bytes)
                func value(_ number: Int) -> UInt64 { event.first { $0.number == number }?.value ?? 0 }
                // The description of a track precedes its first event.
                #expect(trace.tracks[value(11)] != nil)
                trace.events.append(
                    Event(
                        time: time, type: value(9), track: value(11),
                        name: event.first { $0.number == 23 }?.text ?? "",
                        begins: event.filter { $0.number == 47 }.map(\.value),
                        ends: event.filter { $0.number == 48 }.map(\.value)))
            }
        }
        return trace
    }

    private func describe(_ bytes: [UInt8], in trace: inout Trace) throws {
        let track = try fields(bytes)
        let id = try #require(track.first { $0.number == 1 }?.value)
        if let process = track.first(where: { $0.number == 3 }) {
            let name = try fields(process.bytes).first { $0.number == 6 }?.text
            #expect(trace.processes.updateValue(try #require(name), forKey: id) == nil)
        } else {
            let parent = try #require(track.first { $0.number == 5 }?.value)
            #expect(trace.processes[parent] != nil, "a track's process comes first")
            let name = track.first { $0.number == 2 }?.text ?? ""
            #expect(trace.tracks.updateValue((parent, name), forKey: id) == nil)
        }
    }

    @Test func aTraceHasAProcessForEachDeviceAndATrackForEachConnection() throws {
        let trace = try trace()
        #expect(trace.processes.values.filter { $0 != "session" }.sorted() == ["pad", "phone", "server"])
        func connections(_ process: String) -> [String] {
            trace.tracks.values.filter { trace.processes[$0.parent] == process && $0.name.hasPrefix("connection ") }
                .map(\.name).sorted()
        }
        #expect(connections("phone") == ["connection 1"])
        #expect(connections("pad").count == 2)
        #expect(connections("server").count == 3)
    }

    @Test func aTracesSlicesAreTheStatesAndAreNested() throws {
        let trace = try trace()
        let states = try #require(trace.id("phone", "state"))
        let names = trace.events.filter { $0.track == states && $0.type == 1 }.map(\.name)
        #expect(names == ["logged-out", "connecting", "syncing", "online", "kicked"])
        var depth: [UInt64: Int] = [:]
        var last: [UInt64: UInt64] = [:]
        for event in trace.events {
            #expect(event.time >= last[event.track] ?? 0)
            last[event.track] = event.time
            if event.type == 1 { depth[event.track, default: 0] += 1 }
            if event.type == 2 { depth[event.track, default: 0] -= 1 }
            #expect((0...1).contains(depth[event.track] ?? 0))
        }
        #expect(depth.values.allSatisfy { $0 == 0 })
    }

    @Test func aFlowLeadsFromALoginToItsKick() throws {
        let trace = try trace()
        let kick = try #require(trace.events.first { $0.name == "kicked" && $0.type == 3 && !$0.ends.isEmpty })
        #expect(trace.processes[trace.tracks[kick.track]?.parent ?? 0] == "server")
        let login = trace.events.filter { !Set($0.begins).isDisjoint(with: kick.ends) }
        #expect(login.map(\.name) == ["login"])
        #expect(login.allSatisfy { $0.time <= kick.time })
        // The flow of the kick's frame ends at the phone.
        let arrivals = trace.events.filter { !Set($0.ends).isDisjoint(with: kick.begins) }
        #expect(arrivals.map { trace.processes[trace.tracks[$0.track]?.parent ?? 0] } == ["phone"])
        // Each flow has at most one start and one end.
        let begins = trace.events.flatMap(\.begins)
        let ends = trace.events.flatMap(\.ends)
        #expect(Set(begins).count == begins.count)
        #expect(Set(ends).count == ends.count)
        #expect(Set(ends).isSubset(of: begins))
    }

    @Test(arguments: [ExportFormat.perfetto, .otlp]) func theSameSessionGivesTheSameBytes(_ format: ExportFormat) throws
    {
        #expect(try bytes(format) == bytes(format))
    }

    @Test func aKicksTraceLinksToTheLoginThatCausedIt() throws {
        let lines = try bytes(.otlp).split(separator: UInt8(ascii: "\n"))
        var roots: [String: [String: Any]] = [:]
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let resource = try #require((object["resourceSpans"] as? [[String: Any]])?.first)
            let about = try #require((resource["resource"] as? [String: Any])?["attributes"] as? [[String: Any]])
            let service = about.first { $0["key"] as? String == "service.name" }?["value"] as? [String: String]
            let spans = try #require((resource["scopeSpans"] as? [[String: Any]])?.first?["spans"] as? [[String: Any]])
            let root = try #require(spans.first)
            #expect((root["traceId"] as? String)?.count == 32 && (root["spanId"] as? String)?.count == 16)
            #expect(root["parentSpanId"] == nil)
            for span in spans.dropFirst() {
                #expect(span["parentSpanId"] as? String == root["spanId"] as? String)
                #expect(span["traceId"] as? String == root["traceId"] as? String)
                let (begin, end) = (span["startTimeUnixNano"] as? String, span["endTimeUnixNano"] as? String)
                #expect(try #require(Int64(begin ?? "")) <= #require(Int64(end ?? "")))
            }
            roots[service?["stringValue"] ?? ""] = root
        }
        let (phone, pad) = (try #require(roots["phone"]), try #require(roots["pad"]))
        let links = try #require(phone["links"] as? [[String: Any]])
        #expect(links.count == 1)
        #expect(links.first?["traceId"] as? String == pad["traceId"] as? String)
        #expect(links.first?["spanId"] as? String == pad["spanId"] as? String)
        #expect(pad["links"] == nil)
        #expect((phone["status"] as? [String: Any])?["code"] as? Int == 2)
    }
}
