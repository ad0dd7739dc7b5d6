import Foundation
import TestSupport
import Testing

/// Errors in the input are reported with a message and the documented exit code, before anything runs.
@Suite(.onOwnThreads) struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var arguments: [String]
        var status: Int32
        /// A text in the first line of stderr.
        var says: String
        /// True if stderr has only one line.
        var isOneLine = true
        /// The files that exist before the program starts, by name.
        var files: [String: Data] = [:]

        var testDescription: String { title }

        init(
            _ title: String, _ arguments: [String], _ status: Int32, says: String, oneLine: Bool = true,
            files: [String: String] = [:]
        ) {
            self.title = title
            self.arguments = arguments
            self.status = status
            self.says = says
            isOneLine = oneLine
            self.files = files.mapValues { Data($0.utf8) }
        }
    }

    static let lines = [
        Case(
            "unknown command", ["-c", "echo hi", "-c", "frobnicate"], 2, says: "-c:2:1: unknown command", oneLine: false
        ),
        Case(
            "argument missing", ["-c", "login"], 2, says: "-c:1:6: missing expected argument '<user>'", oneLine: false),
        Case("wrong argument", ["-c", "wait abc"], 2, says: "-c:1:6: the value 'abc' is invalid", oneLine: false),
        Case("two clients", ["-c", "@pad @phone login x"], 2, says: "a line can have only one client", oneLine: false),
        Case("more than all", ["-c", "net loss 120%"], 2, says: "'120%' is invalid", oneLine: false),
        Case(
            "a callback of nobody", ["-c", "expect callback onKik"], 2, says: "has no callback 'onKik'", oneLine: false),
        Case(
            "a field of no callback", ["-c", "expect callback onKick raeson=1"], 2, says: "has no field 'raeson'",
            oneLine: false),
        Case(
            "a value of no field", ["-c", "expect callback onKick reason=ByNobody"], 2,
            says: "'reason' is never 'ByNobody'", oneLine: false),
        Case("a log", ["import", "x.log"], 3, says: "there is no file 'x.log'"),
        Case("no such rule", ["help", "NIM-99"], 2, says: "there is no rule 'NIM-99'", oneLine: false),
        Case("unknown option", ["--frob"], 2, says: "imrepl: Unknown option '--frob'", oneLine: false),
        Case("unknown subcommand", ["frob"], 2, says: "unexpected argument 'frob'", oneLine: false),
        Case("unknown profile", ["--profile", "nmi", "-c", "echo hi"], 2, says: "did you mean 'nim'?"),
        Case("unknown world", ["--world", "outer", "-c", "echo hi"], 2, says: "'outer'", oneLine: false),
        Case("no seed", ["--seed", "x", "-c", "echo hi"], 2, says: "'x'", oneLine: false),
        Case("no epoch", ["--epoch", "now", "-c", "echo hi"], 2, says: "'now'", oneLine: false),
        Case(
            "two ways to record", ["--record", "a", "--no-record", "-c", "echo hi"], 2, says: "cannot both be given",
            oneLine: false),
        Case(
            "no url", ["--connect", "127.0.0.1:1", "-c", "echo hi"], 2, says: "did you mean 'ws://127.0.0.1:1'?",
            oneLine: false),
        Case("a recording alone", ["a.pcapng"], 2, says: "unexpected argument 'a.pcapng'", oneLine: false),
        Case("help for nothing", ["help", "frobnicate"], 2, says: "no command 'frobnicate'", oneLine: false),
        Case("no port", ["serve", "--listen", "127.0.0.1:99999"], 2, says: "127.0.0.1:99999", oneLine: false),
        Case(
            "address of another", ["serve", "--listen", "192.0.2.1:7000"], 3, says: "is not an address of this machine"),
        Case("half a certificate", ["serve", "--tls-cert", "a.pem"], 2, says: "belong together", oneLine: false),
        Case(
            "no certificate", ["serve", "--listen", "127.0.0.1:0", "--tls-cert", "a", "--tls-key", "b"], 3, says: "a"),
    ]

    static let scripts = [
        Case("no script", ["run", "a.imr"], 2, says: "there is no script 'a.imr'"),
        Case("folder run", ["run", "f"], 2, says: "'f' is a folder", files: ["f/a.imr": Scenario.login]),
        Case(
            "no head", ["run", "a.imr"], 2, says: "a.imr:1:1: the first line must be", oneLine: false,
            files: ["a.imr": "echo hi\n"]),
        Case(
            "newer dialect", ["run", "a.imr"], 2, says: "version 2", oneLine: false,
            files: ["a.imr": "#! imrepl script 2\necho hi\n"]),
        Case(
            "a line that does not parse", ["run", "a.imr"], 2, says: "a.imr:6:7: this \" is never closed",
            oneLine: false,
            files: ["a.imr": Scenario.login + "login \"alice\n"]),
        Case(
            "unknown variable", ["run", "a.imr"], 2, says: "unknown variable '$user'", oneLine: false,
            files: ["a.imr": Scenario.login + "login $user\n"]),
        Case(
            "a recording run", ["run", "a.pcapng"], 2, says: "'a.pcapng' is a recording, not a script; 'imrepl replay",
            files: ["a.pcapng": "\n\r\r\n and so on"]),
        Case("nothing to test", ["test", "f"], 2, says: "no script (*.imr) in f", files: ["f/readme": "no script"]),
        Case("nothing to test at all", ["test", "nowhere"], 2, says: "there is no script or folder 'nowhere'"),
    ]

    static let paths = [
        Case(
            "folder that cannot be made", ["--data", "plain/x", "-c", "echo hi"], 3,
            says: "'plain/x/sessions' cannot be created",
            files: ["plain": ""]),
        Case(
            "recording into a missing folder", ["--record", "nowhere/x.pcapng", "-c", "echo hi"], 3,
            says: "cannot record into 'nowhere/x.pcapng'"),
        Case(
            "recording into a folder", ["--record", "f", "-c", "echo hi"], 3,
            says: "'f' is a folder; give a file in it",
            files: ["f/x": ""]),
    ]

    static let sessions =
        ["verify", "show"].flatMap { word in
            [
                Case(
                    "\(word) an empty file", [word, "a.pcapng"], 5, says: "a.pcapng: an empty file",
                    files: ["a.pcapng": ""]
                ),
                Case(
                    "\(word) a script", [word, "a.imr"], 5, says: "it is a script: 'imrepl run a.imr'",
                    files: ["a.imr": Scenario.login]),
                Case("\(word) a folder", [word, "f"], 5, says: "f: a directory", files: ["f/x": ""]),
                Case("\(word) a missing file", [word, "a.pcapng"], 5, says: "a.pcapng"),
                Case(
                    "\(word) a text", [word, "a.pcapng"], 5,
                    // `show` reads a text file as a log.
                    says: word == "show" ? "a.pcapng: none of its 100 lines" : "a.pcapng: not a session",
                    files: ["a.pcapng": String(repeating: "This is not the file you are looking for.\n", count: 100)]),
            ]
        } + [Case("show a name misspelt", ["show", "lsat"], 5, says: "did you mean 'last'?")]

    @Test(arguments: lines + scripts + paths + sessions)
    func `invalid input gives an error in words`(_ bad: Case) throws {
        let sandbox = try Sandbox()
        for (name, content) in bad.files { try sandbox.write(content, name) }
        let before = try sandbox.files()
        let result = try sandbox.imrepl(bad.arguments)
        #expect(result.status == bad.status)
        #expect(result.errorLines.first?.contains(bad.says) == true, "\(result.errors)")
        #expect(result.errorLines.first?.hasPrefix("imrepl: ") == true)
        if bad.isOneLine { #expect(result.errorLines.count == 1, "\(result.errors)") }
        #expect(result.output == "", "nothing was run")
        #expect(try sandbox.files() == before, "nothing was recorded or made")
    }

    // MARK: Scripts

    @Test func `bytes that are not UTF-8 are refused with their position, and nothing runs`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Data(Scenario.login.utf8) + [0x65, 0x63, 0x68, 0x6F, 0x20, 0xC3, 0x28, 0x0A], "a.imr")
        let result = try sandbox.imrepl("run", "a.imr")
        #expect(result.status == 2)
        #expect(result.errorLines.first == "imrepl: a.imr:6:6: byte 0xC3 is not UTF-8")
        #expect(result.output == "")
        #expect(try sandbox.recordings() == [])
    }

    @Test func `all errors of a script are listed, in order`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.login + "logn bob\nexpect stat online\nwait abc\n", "a.imr")
        let result = try sandbox.imrepl("run", "a.imr")
        #expect(result.status == 2)
        let positions = result.errorLines.map { $0.replacing("imrepl: ", with: "") }.filter { $0.hasPrefix("a.imr:") }
        #expect(positions.map { String($0.prefix { $0 != " " }) } == ["a.imr:6:1:", "a.imr:7:8:", "a.imr:8:6:"])
        #expect(result.output == "")
        #expect(try sandbox.recordings() == [])
    }

    @Test func `an invalid line from a pipe ends the program after the lines before it`() throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(input: Data("echo hi\nlogn bob\n".utf8))
        #expect(result.status == 2)
        #expect(result.errorLines.first?.contains("stdin:2:1: unknown command 'logn'") == true)
        #expect(result.lines.last == "hi")
        #expect(try sandbox.recordings() == [])
    }

    @Test func `a script without expectations fails`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.head + "echo hi\n", "a.imr")
        let result = try sandbox.imrepl("test", "a.imr")
        #expect(result.status == 1)
        #expect(result.lines.first == "FAIL a.imr")
        #expect(result.output.contains("has no expectation"))
        #expect(result.lines.last == "0 passed, 1 failed")
    }

    // MARK: Sessions

    @Test(arguments: ["verify", "show"])
    func `random bytes are not a session`(word: String) throws {
        let sandbox = try Sandbox()
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<3000).map { _ in UInt8.random(in: 1...9, using: &generator) }
        try sandbox.write(Data(bytes), "a.pcapng")
        let result = try sandbox.imrepl(word, "a.pcapng")
        #expect(result.status == 5)
        #expect(result.errors == "imrepl: a.pcapng: not a session (no pcapng header)\n")
        #expect(result.output == "")
    }

    @Test(arguments: ["verify", "show"])
    func `a session of a newer format is refused with the number of the format`(word: String) throws {
        let sandbox = try Sandbox()
        var data = try Data(contentsOf: sandbox.recordKick())
        let text = Data("session format 2".utf8)
        let range = try #require(data.range(of: text))
        data[range.upperBound - 1] = UInt8(ascii: "3")
        try sandbox.write(data, "newer.pcapng")
        let result = try sandbox.imrepl(word, "newer.pcapng")
        #expect(result.status == 5)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains("written by a newer imrepl (session format 3"))
        #expect(result.output == "")
    }

    @Test(arguments: ["verify", "show"])
    func `a pcapng of another program is refused with the program's name`(word: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        #expect(try sandbox.tool("mergecap", "-a", "-w", "merged.pcapng", "a.pcapng", "a.pcapng").status == 0)
        let result = try sandbox.imrepl(word, "merged.pcapng")
        #expect(result.status == 5)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains("a pcapng of another program (Mergecap"))
        #expect(result.output == "")
    }

    @Test func `the exit code is that of the worst file, and each file is named`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("good.pcapng")
        try sandbox.write("", "empty.pcapng")
        let result = try sandbox.imrepl("verify", "empty.pcapng", "good.pcapng")
        #expect(result.status == 5)
        #expect(result.errors == "imrepl: empty.pcapng: an empty file\n")
        #expect(result.lines.count == 1)
        #expect(result.output.hasPrefix("good.pcapng: verified "))
    }

    // MARK: The network

    @Test func `a login to an unreachable server fails with the vendor's code`() throws {
        let sandbox = try Sandbox()
        let start = ["--connect", "ws://127.0.0.1:1", "-c", "client new phone --platform ios", "-c", "login alice"]
        let failed = try sandbox.imrepl(start + ["-c", "expect state online within 100ms"])
        #expect(failed.status == 1)
        #expect(failed.output.contains("link 1 failed: refused"))
        #expect(failed.output.contains("result login NIMRemoteErrorCodeConnectionError(415)"))
        #expect(failed.errorLines.dropFirst().first == "-c:3:1: expect state online within 100ms")
        #expect(failed.errors.contains("session: \(sandbox.home)/data/imrepl/sessions/nim-"))
        let expected = try sandbox.imrepl(start + ["-c", "expect result login code=415"])
        #expect(expected.status == 0, "\(expected.errors)")
    }

    @Test func `the error for a used port names the port`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox)
        let port = try #require(server.url.split(separator: ":").last)
        let result = try sandbox.imrepl("serve", "--listen", "127.0.0.1:\(port)")
        #expect(result.status == 3)
        #expect(result.errorLines.count == 1)
        #expect(result.errors == "imrepl: port \(port) on 127.0.0.1 is already in use\n")
        #expect(result.output == "")
    }
}

extension Data {
    fileprivate init(contentsOf path: String) throws {
        try self.init(contentsOf: URL(fileURLWithPath: path))
    }
}
