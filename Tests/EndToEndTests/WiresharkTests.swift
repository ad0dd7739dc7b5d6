import Foundation
import TestSupport
import Testing

/// One line of the output of `imrepl show --json`.
struct JSONLine {
    let number: Int
    let time: Int
    let node: String
    let channel: String
    let kind: String
    let text: String

    init(_ line: String) throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line) is no object")
        number = try #require(object["n"] as? Int)
        time = try #require(object["t"] as? Int)
        node = try #require(object["node"] as? String)
        channel = try #require(object["channel"] as? String)
        kind = try #require(object["kind"] as? String)
        text = try #require(object["text"] as? String)
    }
}

/// Tests of the shell's recordings in Wireshark's programs. These programs are part of the toolchain, so a missing
/// program is a failure.
@Suite(.onOwnThreads) struct WiresharkTests {
    /// The error lines of a program, without its warning about the user root.
    private func complaints(_ result: Program.Result) -> [String] {
        result.errorLines.filter { !$0.hasPrefix("Running as user \"root\"") }
    }

    @Test func `every event is a packet and a line`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let printed = try sandbox.imrepl("show", "--json", "a.pcapng")
        #expect(printed.status == 0)
        #expect(printed.errors == "")
        let events = try printed.lines.map(JSONLine.init)
        try #require(events.count > 60)
        #expect(events.map(\.number) == Array(1...events.count))
        #expect(events.map(\.time) == events.map(\.time).sorted())
        #expect(events.allSatisfy { !$0.kind.isEmpty })
        let packets = try sandbox.tool(
            "tshark", "-n", "-r", "a.pcapng", "-T", "fields", "-e", "frame.packet_id", "-e", "frame.interface_name",
            "-e",
            "exported_pdu.prot_name")
        #expect(packets.status == 0)
        #expect(complaints(packets) == [])
        #expect(packets.lines == events.map { "\($0.number)\t\($0.node)/\($0.channel)\timsession" })
        let plain = try sandbox.imrepl("show", "a.pcapng")
        #expect(plain.lines.count == events.count)
    }

    @Test func `capinfos reports no error`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let result = try sandbox.tool("capinfos", "-M", "a.pcapng")
        #expect(result.status == 0)
        #expect(complaints(result) == [])
        #expect(result.output.contains("kick.imr (nim)"))
        #expect(result.output.contains("Strict time order:   True"))
    }

    @Test func `a filter on the comments finds the kick`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let found = try sandbox.tool(
            "tshark", "-n", "-r", "a.pcapng", "-Y", "frame.comment contains \"Kick\"", "-T", "fields", "-e",
            "frame.packet_id", "-e", "frame.comment")
        #expect(found.status == 0)
        #expect(complaints(found) == [])
        let events = try sandbox.imrepl("show", "--json", "a.pcapng").lines.map(JSONLine.init)
        let expected = events.filter { $0.text.contains("Kick") }
        #expect(found.lines == expected.map { "\($0.number)\t\($0.node) \($0.text)" })
        #expect(expected.contains { $0.node == "phone" && $0.kind == "transition" })
        #expect(expected.contains { $0.text.hasPrefix("callback onKick") })
    }

    @Test func `tshark reads the output of mergecap and editcap`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        try sandbox.recordKick("b.pcapng", ["--seed", "2"])
        let count = try ["a.pcapng", "b.pcapng"].map { try sandbox.imrepl("show", $0).lines.count }.reduce(0, +)
        for (arguments, packets) in [
            (["mergecap", "-w", "merged.pcapng", "a.pcapng", "b.pcapng"], count),
            (["editcap", "-r", "a.pcapng", "merged.pcapng", "10-30"], 21),
        ] {
            let made = try sandbox.run("/usr/bin/env", arguments)
            #expect(made.status == 0)
            #expect(complaints(made) == [])
            let read = try sandbox.tool(
                "tshark", "-n", "-r", "merged.pcapng", "-T", "fields", "-e", "exported_pdu.prot_name", "-e",
                "frame.comment")
            #expect(read.status == 0)
            #expect(complaints(read) == [])
            #expect(read.lines.count == packets)
            #expect(read.lines.allSatisfy { $0.hasPrefix("imsession\t") })
        }
    }
}
