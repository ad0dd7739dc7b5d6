import Foundation
import Recorder
import SansIO
import Testing

/// Wireshark's programs read a session without a warning, and lose nothing when they rewrite it. They are part of the
/// project's toolchain, so a missing program is a failure.
@Suite struct ToolTests {
    private struct Output {
        var status: Int32
        var output: String
        var errors: String
    }

    private static func run(_ arguments: String...) throws -> Output {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        // The output goes to files, because a program could block on a full pipe.
        let folder = try TemporaryFolder()
        let paths = ["out", "err"].map { folder.path + "/" + $0 }
        for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[0]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[1]))
        process.environment = [
            "PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin", "LC_ALL": "C.UTF-8", "HOME": folder.path,
        ]
        try process.run()
        process.waitUntilExit()
        let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
        // Wireshark's tools print this warning if root runs them. It is not an error in the file.
        let errors = texts[1].split(separator: "\n").filter { !$0.hasPrefix("Running as user \"root\"") }
        return Output(
            status: process.terminationStatus, output: texts[0], errors: errors.joined(separator: "\n"))
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// One line for each packet, with everything that a rewritten file must keep.
    private static func packets(_ path: String) throws -> [String] {
        let result = try run(
            "tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch", "-e",
            "frame.interface_name", "-e", "frame.packet_id", "-e", "frame.packet_flags", "-e", "exported_pdu.prot_name",
            "-e", "exported_pdu.exported_pdu", "-e", "frame.comment")
        #expect(result.status == 0)
        #expect(result.errors == "")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func tsharkShowsEveryEvent() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/session.pcapng"
        let recording = try Recording.full()
        try ToolTests.write(recording.bytes, path)
        let packets = try ToolTests.packets(path)
        let reader = try SessionReader(path: path)
        let events = try reader.events()
        #expect(packets.count == events.count)
        for (packet, event) in zip(packets, events) {
            let fields = packet.components(separatedBy: "\t")
            let time = Recording.epoch + event.time.nanoseconds
            let payload = event.payload.map { String(format: "%02x", $0) }.joined()
            let expected = [
                "\(event.number)", "\(time / 1_000_000_000).\(String(format: "%09d", time % 1_000_000_000))",
                "\(reader.name(of: event.node))/\(event.channel.name)", "\(event.number)",
                "0x0000000\(event.direction.rawValue)", "elevator",
                payload.isEmpty ? "<MISSING>" : payload, event.comment,
            ]
            #expect(fields == expected)
        }
    }

    @Test func aFilterFindsComments() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/session.pcapng"
        try ToolTests.write(try Recording.full().bytes, path)
        let result = try ToolTests.run(
            "tshark", "-r", path, "-Y", "frame.comment contains \"openDoor\"", "-T", "fields", "-e", "frame.number")
        #expect(result.status == 0)
        #expect(result.errors == "")
        let expected = try SessionReader(path: path).events().filter { $0.comment.contains("openDoor") }
        #expect(!expected.isEmpty)
        #expect(result.output.split(separator: "\n").map(String.init) == expected.map { "\($0.number)" })
    }

    @Test func capinfosCountsTheEvents() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/session.pcapng"
        let recording = try Recording.full()
        try ToolTests.write(recording.bytes, path)
        let result = try ToolTests.run("capinfos", "-M", path)
        #expect(result.status == 0)
        #expect(result.errors == "")
        let lines = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        }
        #expect(value("Number of packets:") == "\(recording.writer.eventCount)")
        #expect(value("Capture application:") == "imrepl 0.1 (session format 2)")
        #expect(value("Capture oper-sys:") == "Linux")
        #expect(value("Capture comment:") == "two lifts (test)")
        #expect(value("Strict time order:") == "True")
        #expect(value("Number of interfaces in file:") == "7")
    }

    @Test func editcapAndMergecapLoseNothing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/session.pcapng"
        try ToolTests.write(try Recording.full().bytes, path)
        let packets = try ToolTests.packets(path)
        let edited = folder.path + "/edited.pcapng"
        let merged = folder.path + "/merged.pcapng"
        for result in [
            try ToolTests.run("editcap", path, edited), try ToolTests.run("mergecap", "-w", merged, path),
        ] {
            #expect(result.status == 0)
            #expect(result.errors == "")
        }
        #expect(try ToolTests.packets(edited) == packets)
        #expect(try ToolTests.packets(merged) == packets)
        // The program writes the options, their order and the positions of descriptions as the project's own writer
        // does, so the bytes are equal.
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited)) == Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test func theirPartialFilesAreRefusedInWords() throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b", "merged", "middle", "beginning"].map { "\(folder.path)/\($0).pcapng" }
        try ToolTests.write(try Recording.full(seed: 1).bytes, paths[0])
        try ToolTests.write(try Recording.full(seed: 2).bytes, paths[1])
        for result in [
            try ToolTests.run("mergecap", "-a", "-w", paths[2], paths[0], paths[1]),
            try ToolTests.run("editcap", "-r", paths[0], paths[3], "5-10"),
            try ToolTests.run("editcap", "-r", paths[0], paths[4], "1-10"),
        ] {
            #expect(result.status == 0)
        }
        let merged = #expect(throws: SessionError.self) { try SessionReader(path: paths[2]) }
        #expect("\(try #require(merged))".hasPrefix("a pcapng of another program (Mergecap"))
        let middle = #expect(throws: SessionError.self) { try SessionReader(path: paths[3]) }
        #expect("\(try #require(middle))" == "damaged at event 1: found event number 5 instead")
        // The first part of the file is complete except for its closing record.
        let beginning = try SessionReader(path: paths[4])
        #expect(beginning.completeness == .torn(droppedBytes: 0))
        #expect(try Verifier.verify(beginning, schema: ElevatorSchema()) == .verified(events: 10))
    }

    @Test func aTruncatedSessionIsReadToo() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/torn.pcapng"
        let recording = try Recording.full(closes: false)
        try ToolTests.write(recording.bytes, path)
        #expect(try ToolTests.packets(path).count == Int(recording.writer.eventCount))
    }
}
