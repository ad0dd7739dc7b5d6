import Foundation
import TestSupport
import Testing

/// Tests of the data that an installation stores when its process ends.
@Suite(.onOwnThreads) struct StoredLoginTests {
    @Test(arguments: ["live", "simulated"])
    func `a killed app finds its login at the next start`(world: String) throws {
        let sandbox = try Sandbox()
        let script =
            Scenario.login + """
                app kill
                ! query state
                app start
                expect state logged-out
                query local
                autologin alice
                query local
                expect state online within 10s
                query account

                """
        try sandbox.write(script, "a.imr")
        let result = try sandbox.imrepl("run", "a.imr", "--world", world)
        #expect(result.status == 0, "\(result.errors)")
        let answers = result.lines.filter { $0.hasPrefix("last-user=alice") }
        // The data has been read from the disk, but it is closed until the app logs in (NIM-2).
        #expect(answers.count == 2)
        #expect(answers.first?.contains("autologin=allowed  data=closed") == true, "\(answers)")
        #expect(answers.last?.contains("data=open") == true, "\(answers)")
    }

    @Test func `a new app cannot use autologin`() throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl("-c", "client new phone --platform ios", "-c", "autologin alice")
        #expect(result.status == 1)
        #expect(result.errorLines.first == "-c:2:1: autologin alice")
    }

    @Test func `the data folder keeps the login for the next process`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.login, "first.imr")
        let first = try sandbox.imrepl("run", "first.imr", "--world", "live", "--data", "kept")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try sandbox.files(below: "kept").contains("kept/clients.sqlite"))
        try sandbox.write(
            Scenario.head + "client new phone --platform ios\nautologin alice\nquery local\nquery account\n",
            "second.imr")
        let second = try sandbox.imrepl("run", "second.imr", "--world", "live", "--data", "kept")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("alice"))
        // Another data folder is another installation.
        let other = try sandbox.imrepl("run", "second.imr", "--world", "live", "--data", "other")
        #expect(other.status == 1)
        #expect(other.errors.contains("autologin failed"))
    }
}
