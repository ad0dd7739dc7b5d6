import Foundation
import TestSupport
import Testing

/// Tests of output to files, devices, pipes and the standard output. Only one writer may use an output.
@Suite(.onOwnThreads) struct OutputTests {
    private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")
    /// Only root can create device nodes.
    private static let canMakeNodes = geteuid() == 0

    /// Runs a line in bash, where `imrepl` is the built program.
    private func shell(_ sandbox: Sandbox, _ line: String) throws -> Program.Result {
        let programs = [("imrepl", try Program.imrepl()), ("imrepl-explore", try Program.explore())]
        let functions = programs.map { "\($0)() { '\($1)' \"$@\"; }; " }.joined()
        return try sandbox.run("/bin/bash", ["-c", functions + line])
    }

    @Test(
        .enabled(if: hasFullDevice, "the system has no /dev/full"),
        arguments: [
            "show kick.pcapng", "verify kick.pcapng", "sessions show kick.pcapng", "help", "--help", "wireshark",
            "diff kick.pcapng kick.pcapng", "run --no-record kick.imr", "test kick.imr",
            "export kick.pcapng --as ndjson", "redact kick.pcapng -o -",
        ])
    func `a failed write to the standard output is reported with exit 3`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let result = try shell(sandbox, "imrepl \(line) > /dev/full")
        #expect(result.status == 3)
        #expect(result.errors.contains("cannot write the standard output: No space left on device"), "\(result.errors)")
    }

    private static let outputs = [
        "redact kick.pcapng -o OUT --force", "redact kick.pcapng -o other.pcapng --map OUT --force",
        "report kick.pcapng -o OUT --force", "export kick.pcapng --as html -o OUT --force",
        "test kick.imr --junit OUT", "odds kick.pcapng --report OUT state", "run --record OUT kick.imr",
    ]

    @Test(.enabled(if: canMakeNodes, "only root can make a device"), arguments: outputs)
    func `a device is written to and remains a device`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        guard try shell(sandbox, "mknod null c 1 3 && mknod full c 1 7 && : > null").status == 0 else { return }
        let line = { line.replacingOccurrences(of: "OUT", with: $0) }
        #expect(try shell(sandbox, "imrepl \(line("null"))").status == 0)
        let full = try shell(sandbox, "imrepl \(line("full"))")
        #expect(full.status == 3)
        #expect(full.errors.contains("'full'"), "\(full.errors)")
        #expect(try shell(sandbox, "test -c null && test -c full").status == 0)
    }

    @Test(arguments: outputs) func `a FIFO is written to, and refused without a reader`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let line = line.replacingOccurrences(of: "OUT", with: "pipe")
        let refused = try shell(sandbox, "mkfifo pipe; imrepl \(line)")
        #expect(refused.status == 3)
        #expect(refused.errors.contains("'pipe': no process reads it"), "\(refused.errors)")
        let read = try shell(sandbox, "cat pipe > got & imrepl \(line); code=$?; wait; test -p pipe && exit $code")
        #expect(read.status == 0, "\(read.errors)")
        #expect(try !sandbox.data("got").isEmpty)
    }

    @Test(arguments: outputs.prefix(4)) func `links are not followed`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        try sandbox.write("keep", "kept")
        let line = { line.replacingOccurrences(of: "OUT", with: $0) }
        let result = try shell(
            sandbox, "ln -s kept soft; ln kept hard; imrepl \(line("soft")) && imrepl \(line("hard"))")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try sandbox.data("kept") == Data("keep".utf8))
    }

    @Test(arguments: ["export kick.pcapng --as html -o out --force", "redact kick.pcapng -o out --force"])
    func `a file that cannot grow leaves the existing file`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        try sandbox.write("old", "out")
        let result = try shell(sandbox, "ulimit -f 1; imrepl \(line)")
        #expect(result.status == 3)
        #expect(result.errors.contains("cannot write 'out'"), "\(result.errors)")
        #expect(try sandbox.data("out") == Data("old".utf8))
        #expect(try sandbox.files().allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test func `a dash and pipes are inputs and outputs`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let shown = try sandbox.imrepl("show", "kick.pcapng").output
        #expect(try shell(sandbox, "imrepl show - < kick.pcapng").output == shown)
        #expect(try shell(sandbox, "cat kick.pcapng | imrepl show -").output == shown)
        #expect(try shell(sandbox, "imrepl show <(cat kick.pcapng)").output == shown)
        for line in ["redact"] {
            let result = try shell(sandbox, "set -o pipefail; imrepl \(line) - -o - < kick.pcapng | imrepl verify -")
            #expect(result.status == 0, "\(line): \(result.errors)")
            #expect(result.output.contains("verified"))
        }
        #expect(try shell(sandbox, "imrepl test kick.imr --junit /dev/stdout | cat").output.contains("</testsuite>"))
        _ = try shell(sandbox, "imrepl test kick.imr --junit /dev/stdout > out.txt")
        #expect(String(decoding: try sandbox.data("out.txt"), as: UTF8.self).contains("</testsuite>"))
        let report = try shell(sandbox, "set -o pipefail; imrepl report kick.pcapng -o - | imrepl verify -")
        #expect(report.status == 0, "\(report.errors)")
    }

    @Test(arguments: ["-", "/dev/stdout", "/dev/fd/1"])
    func `a command that writes to the standard output prints nothing else there`(_ name: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        try sandbox.write("#! imrepl script 1\n# profile: nim\n\nclient new a\nexpect state online\n", "fails.imr")
        let tests = try shell(sandbox, "imrepl test kick.imr fails.imr --junit \(name) | cat")
        #expect(tests.output.hasPrefix("<?xml") && tests.output.hasSuffix("</testsuite>\n"), "\(tests.output)")
        #expect(tests.errors.contains("ok   kick.imr") && tests.errors.contains("1 passed, 1 failed"))
        let report = try shell(sandbox, "set -o pipefail; imrepl report kick.pcapng -o \(name) | imrepl verify -")
        #expect(report.status == 0, "\(report.errors)")
        #expect(report.errors.contains("wrote the report (") && !report.errors.contains("(0 kB)"), "\(report.errors)")
        let redacted = try shell(sandbox, "set -o pipefail; imrepl redact kick.pcapng -o \(name) | imrepl verify -")
        #expect(redacted.status == 0, "\(redacted.errors)")
        let odds = try shell(sandbox, "imrepl odds kick.pcapng --runs 2 --report \(name) 'kind == callback' | cat")
        #expect(odds.output.hasPrefix("<!"), "\(odds.output.prefix(200))")
        let explore = try shell(sandbox, "imrepl-explore --seeds 0..3 --report \(name) > page; head -c 2 page")
        #expect(explore.output == "<!", "\(explore.errors)")
        for line in ["run kick.imr --record \(name)", "shrink kick.pcapng --keep 'kind == callback' -o \(name)"] {
            let refused = try shell(sandbox, "imrepl \(line)")
            #expect([2, 3].contains(refused.status), "\(line)")
            #expect(refused.errors.contains("'\(name)'"), "\(line): \(refused.errors)")
        }
    }

    @Test func `a recording that is being written refuses a second writer`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        let result = try shell(
            sandbox,
            """
            mkfifo in out
            imrepl --profile nim --record two.pcapng < in > out 2> /dev/null &
            exec 3> in 4< out
            echo 'echo recording' >&3
            read -r line <&4
            for line in 'run --record two.pcapng --force kick.imr' 'sessions delete two.pcapng' \\
                'export two.pcapng --as html -o two.pcapng.2'; do imrepl $line > /dev/null; echo $?; done
            exec 3>&-; cat <&4 > /dev/null; wait; imrepl verify two.pcapng
            """)
        #expect(result.lines.prefix(3) == ["3", "3", "0"], "\(result.errors)")
        #expect(result.errors.contains("'two.pcapng' is the recording of another"))
        #expect(result.status == 0)
    }
}
