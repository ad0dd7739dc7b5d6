import Foundation
import IMSession
import NIMSDK
import Recorder
import Testing

@testable import SimulatedApp

/// It logs in before it has registered the SDK.
@MainActor
private final class Hasty {
    let token: String

    init(token: String) { self.token = token }

    func login() { NIMSDK.shared().loginManager.login("alice", token: token) { _ in } }
}

/// The files that a search writes for a failure.
@MainActor
@Suite struct FailureFilesTests {
    @Test func aFailureIsATestAndASession() async throws {
        let folder = NSTemporaryDirectory() + "failures-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var explorer = AppExplorer(
            "nim", launch: { Hasty(token: $0) }, taps: ["log in": { $0.login() }], shown: { _ in false })
        explorer.name = "Hasty.explorer"
        let failures = try await explorer.search(0..<1, upTo: 1, failuresIn: folder)
        let failure = try #require(failures.first)
        let files = try #require(failure.files)
        #expect(failure.description.contains("test: \(files.test)\nsession: \(files.session)\nimrepl replay '"))
        #expect(files.hint.firstMatch(of: #/-c 'why \d+'$/#) != nil)
        #expect(files.test.hasSuffix("/Failure1NIM2ALoginBeforeNIMSDKRegisterWithTests.swift"))
        #expect(
            try String(contentsOfFile: files.test, encoding: .utf8) == """
                import SimulatedApp
                import Testing

                /// NIM-2 [phone] at 0.0 s: a login before NIMSDK.register(with:)
                @MainActor
                @Suite struct Failure1NIM2ALoginBeforeNIMSDKRegisterWithTests {
                    @Test func doesNotHappen() async throws {
                        let scenario = AppScenario([
                            .tap("log in"),
                        ])
                        let outcome = try await Hasty.explorer.play(scenario, seed: 0)
                        #expect(outcome.violations == [])
                    }
                }

                """)
        let written = try SessionReader(bytes: Array(Data(contentsOf: URL(fileURLWithPath: files.session))))
        #expect(try Verifier.verify(written, schema: IMSessionSchema()) == .verified(events: written.eventCount))
    }

    @Test func twoFailuresHaveTwoFiles() throws {
        let folder = NSTemporaryDirectory() + "two-failures-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ text: String) throws -> FailureFiles {
            try FailureFiles(
                of: AppViolation(rule: "C-2", text: text, time: 0, device: "phone"), scenario: AppScenario([]), seed: 1,
                session: [], explorer: "explorer", in: folder, number: 1)
        }
        let text = "a login before the logout of this device has ended"
        let first = try write(text + ", online")
        let second = try write(text + ", offline")
        #expect(second.test == first.test.replacing("Tests.swift", with: "2Tests.swift"))
        #expect(second.session == first.session.replacing(".pcapng", with: "2.pcapng"))
        #expect(try write(text + ", online") == first)
        #expect(try String(contentsOfFile: second.test, encoding: .utf8).contains("2Tests {"))
    }
}
