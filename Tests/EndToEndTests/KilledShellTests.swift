import Foundation
import TestSupport
import Testing

/// If a shell is killed, its recording contains every event that it has printed.
@Suite(.onOwnThreads) struct KilledShellTests {
    /// In virtual time, the shell blocks when its output is not read, so the kill comes at a known position.
    @Test(arguments: [20, 50, 80], ["live", "simulated"])
    func `everything on the screen is in the file after a kill`(linesMin: Int, world: String) throws {
        let sandbox = try Sandbox()
        // The script continues until the kill: the network goes down and up, and the client reconnects each time.
        var script = Scenario.login + "option reconnect-delay=1ms\n"
        for _ in 0..<500 {
            script += "net down\nexpect state reconnecting within 10s\nnet up\nexpect state online within 10s\n"
        }
        try sandbox.write(script, "a.imr")
        let shell = try sandbox.start("run", "a.imr", "--world", world, "--record", "a.pcapng")
        var count = 0
        try shell.line("\(linesMin) events and a reconnect") { line in
            if line.hasPrefix("#") { count += 1 }
            return count >= linesMin && line.contains("→ reconnecting")
        }
        shell.signal(SIGKILL)
        #expect(try shell.end() == 128 + SIGKILL)
        // The last line may be truncated. Each complete line has the number of its event.
        let shown = shell.lines.compactMap { line in
            line.hasPrefix("#") ? Int(line.dropFirst().prefix { $0.isNumber }) : nil
        }
        #expect(shown.count >= linesMin)
        let verified = try sandbox.imrepl("verify", "a.pcapng")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(verified.errors.contains("closing record"), "\(verified.errors)")
        let printed = try sandbox.imrepl("show", "--json", "a.pcapng")
        #expect(printed.status == 0)
        let numbers = Set(try printed.lines.map { try JSONLine($0).number })
        #expect(shown.filter { !numbers.contains($0) } == [])
    }
}
