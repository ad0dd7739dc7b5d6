import Foundation
import TestSupport
import Testing

/// Tests of `imrepl wireshark`: tshark reads the recordings of the library with the dissector.
@Suite(.onOwnThreads) struct DissectorTests {
    private let sandbox: Sandbox

    /// The paths of the library's recordings.
    private static func recordings() throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("sessions").path
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".pcapng") }
            .sorted().map { "\(folder)/\($0)" }
    }

    init() throws {
        sandbox = try Sandbox()
        let printed = try sandbox.imrepl("wireshark", "--print")
        #expect(printed.status == 0 && printed.errors == "")
        try sandbox.write(printed.output, "imsession.lua")
    }

    /// tshark's output for a file, with the dissector. Its stderr must be empty.
    private func tshark(_ file: String, _ arguments: String...) throws -> [String] {
        let result = try sandbox.run(
            "/usr/bin/env",
            ["tshark", "-n", "-X", "lua_script:\(sandbox.file("imsession.lua"))", "-r", file] + arguments)
        #expect(result.status == 0)
        #expect(result.errorLines.filter { !$0.hasPrefix("Running as user \"root\"") } == [], "\(file)")
        return result.lines
    }

    @Test func `every packet has the node, kind and number of show --json`() throws {
        // Starting tshark takes half of the time of these tests, so only every fourth recording is read by default.
        for (index, file) in try Self.recordings().enumerated() where searchesDeeply || index.isMultiple(of: 4) {
            let events = try sandbox.imrepl("show", "--json", file).lines.map(JSONLine.init)
            let packets = try tshark(
                file, "-T", "fields", "-e", "imsession.event", "-e", "imsession.node", "-e", "imsession.channel", "-e",
                "imsession.kind")
            #expect(packets == events.map { "\($0.number)\t\($0.node)\t\($0.channel)\t\($0.kind)" }, "\(file)")
        }
    }

    @Test func `states, kicks, callbacks and fields of frames can be filtered`() throws {
        let file = try Self.recordings().first { $0.hasSuffix("/readme.pcapng") }
        let readme = try #require(file)
        func events(_ filter: String) throws -> [String] {
            try tshark(readme, "-Y", filter, "-T", "fields", "-e", "imsession.event")
        }
        // The program's own filters must find the same events.
        func found(_ filter: String) throws -> [String] {
            try sandbox.events(where: filter, in: readme).map { "\($0)" }
        }
        let kicked = try found("kick")
        let notices = try found("type == kicked")
        try #require(kicked.count == 1 && notices.count == 2)
        #expect(try events("imsession.state.to == \"kicked\"") == kicked)
        #expect(try events("imsession.kick") == notices + kicked)
        #expect(try events("imsession.callback == \"onKick\"") == found("callback == onKick"))
        #expect(
            try events("imsession.frame.type == \"kicked\" && imsession.frame.reason == \"other-login\"") == notices)
        #expect(
            try events(
                "imsession.frame.user == \"alice\" && imsession.frame.platform == \"ios\" && imsession.dir == \"out\""
            ).count == 2)
        let shown = try tshark(
            readme, "-Y", "imsession.event == \(kicked[0])", "-T", "fields", "-e", "_ws.col.Protocol", "-e",
            "_ws.col.Info")
        #expect(shown == ["IMSESSION\tphone state online → kicked: remote-login (Kick)"])
    }

    @Test func `invalid bytes are reported, and the dissector does not fail`() throws {
        let file = try #require(
            try Self.recordings().first { $0.hasSuffix("/s-06-interruption-of-four-seconds.pcapng") })
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        // A payload begins after 28 bytes of its block and 40 bytes of tags. One byte of each payload is changed.
        var at = 0
        var changed = 0
        func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        while at + 32 <= bytes.count, word(at + 4) >= 12 {
            let length = word(at + 20) - 40
            if word(at) == 6, length > 0 {
                for step in stride(from: changed % 3, to: length, by: 5) {
                    bytes[at + 68 + step] ^= UInt8(0x81 + step % 0x40)
                }
                changed += 1
            }
            at += word(at + 4)
        }
        #expect(changed > 100)
        try Data(bytes).write(to: URL(fileURLWithPath: sandbox.file("spoilt.pcapng")))
        let shown = try tshark(sandbox.file("spoilt.pcapng"), "-V")
        #expect(shown.contains { $0.contains("these bytes make no") })
        #expect(!shown.contains { $0.contains("Lua Error") })
        // Different versions of Lua must print integers without a fraction.
        #expect(shown.contains { $0.contains(/field \d+:/) })
        #expect(!shown.contains { $0.contains(/field \d+\.\d/) })
    }

    /// The folder for Wireshark's settings, in the sandbox.
    private var settings: [String: String] { ["WIRESHARK_CONFIG_DIR": sandbox.file("wireshark")] }
    private var coloursPath: String { sandbox.file("wireshark/colorfilters") }

    @Test func `the dissector is installed into the user's folder and removed again`() throws {
        let path = "\(sandbox.home)/.local/lib/wireshark/plugins/imsession.lua"
        func wireshark(_ option: String...) throws -> Program.Result {
            try sandbox.imrepl(["wireshark"] + option, environment: settings)
        }
        #expect(try wireshark().output.contains("not installed"))
        let count = try wireshark("--print-colors").lines.count
        #expect(
            try wireshark("--install").lines == ["wrote \(path)", "added \(count) colouring rules to \(coloursPath)"])
        #expect(
            try wireshark("--install").lines
                == ["\(path) is already installed", "\(coloursPath) already has the colours"])
        #expect(
            try wireshark().lines.prefix(2) == [
                "the dissector: \(path) (installed)", "the colours:   \(coloursPath) (installed)",
            ])
        try "-- mine".write(toFile: path, atomically: true, encoding: .utf8)
        let refused = try wireshark("--install")
        #expect(refused.status == 3)
        #expect(refused.errors == "imrepl: '\(path)' is another version; --force replaces it\n")
        #expect(try wireshark("--install", "--force").status == 0)
        // Colour rules that the installation copied from Wireshark's defaults are removed if the user added none.
        #expect(try wireshark("--uninstall").lines == ["removed \(path)", "removed \(coloursPath)"])
        #expect(try wireshark("--uninstall").lines == ["there is no \(path)"])
    }

    @Test func `the user's colour rules are kept by the installation and the removal`() throws {
        let userRules = "# mine\n@All@frame@[1,2,3][4,5,6]\n"
        try sandbox.write(userRules, "wireshark/colorfilters")
        #expect(try sandbox.imrepl(["wireshark", "--install"], environment: settings).status == 0)
        let coloured = try String(contentsOfFile: coloursPath, encoding: .utf8)
        #expect(coloured.hasSuffix("\n" + userRules))
        #expect(coloured.contains("@imsession.kick@"))
        let uninstalled = try sandbox.imrepl(["wireshark", "--uninstall"], environment: settings)
        #expect(uninstalled.lines.last == "removed the colouring rules from \(coloursPath)")
        #expect(try String(contentsOfFile: coloursPath, encoding: .utf8) == userRules)
    }

    @Test func `kicks, transitions and other events have different colours`() throws {
        try #require(try sandbox.imrepl(["wireshark", "--install"], environment: settings).status == 0)
        let readme = try #require(try Self.recordings().first { $0.hasSuffix("/readme.pcapng") })
        func colours(_ filter: String) throws -> [String] {
            // tshark uses colours only if its output is a terminal. The program `script` provides one. Its output
            // includes stderr.
            let tshark = ["tshark", "-n", "--color", "-r", "'\(readme)'", "-Y", "'\(filter)'"].joined(separator: " ")
            let terminal =
                TestSystem.isLinux
                ? ["script", "-qec", tshark, "/dev/null"] : ["script", "-q", "/dev/null", "sh", "-c", tshark]
            let result = try sandbox.run(
                "/usr/bin/env", terminal,
                environment: settings.merging(["COLORTERM": "truecolor", "TERM": "xterm-256color"]) { $1 })
            #expect(result.status == 0)
            #expect(!result.output.contains("Could not compile"), "\(result.output)")
            // The escape sequences for foreground and background precede the row.
            return result.output.split(whereSeparator: \.isNewline).filter { $0.contains(" IMSESSION ") }
                .map { String($0.prefix(60)) }
        }
        let kick = try #require(try colours("imsession.state.to == \"kicked\"").first)
        #expect(kick.contains("48;2;164;0;0"), "\(kick.debugDescription)")
        #expect(kick.contains("38;2;255;255;255"), "\(kick.debugDescription)")
        #expect(try colours("imsession.kick").allSatisfy { $0.contains("48;2;164;0;0") })
        #expect(try colours("imsession.state.to == \"online\"").allSatisfy { $0.contains("48;2;200;240;200") })
        let transitions = "imsession.kind == \"transition\" && imsession.state.to in {\"syncing\", \"connecting\"}"
        #expect(try colours(transitions).allSatisfy { $0.contains("48;2;186;218;255") })
        #expect(try !colours(transitions).isEmpty)
        #expect(try colours("imsession.kind == \"callback\"").allSatisfy { !$0.contains("48;2;") })
    }
}
