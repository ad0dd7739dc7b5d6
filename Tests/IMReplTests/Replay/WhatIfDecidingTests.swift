import IMClient
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import Testing

@testable import IMRepl

/// Tests of changed fields that decide a login, and of the end of a changed scenario.
@Suite struct WhatIfDecidingTests {
    private func finalStates(_ outcome: WhatIfOutcome) -> [String: ClientState?] {
        Dictionary(outcome.finals.map { ($0.node, $0.altered) }) { $1 }
    }

    private func loginFrame(_ harness: ScenarioHarness) throws -> UInt64 {
        try harness.first { event in
            guard case .input(.frame(_, let frame)) = event.content, case .login = frame.body else { return false }
            return true
        }
    }

    @Test(arguments: [
        ("expired", Status.credentialExpired), ("wrong", .wrongCredential), ("revoked", .wrongCredential),
        ("tooOften", .rateLimited),
    ])
    func `the verdict on a credential decides the login`(_ word: String, _ status: Status) throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                @phone login alice
                wait 2s
                """)
        let number = try loginFrame(harness)
        let (_, events) = try harness.altered(.edit(field: "credential", value: word), at: number)
        let answers = events.compactMap { event -> Status? in
            guard case .effect(.send(_, let frame)) = event.content, case .loginAck(let reply) = frame.body else {
                return nil
            }
            return reply.status
        }
        #expect(answers.first == status)
        #expect(
            harness.rejectionReason(.edit(field: "credential", value: "tired"), at: number)?.contains("revoked") == true
        )
    }

    @Test func `'forced' decides an autologin, and the platform decides a kick`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                client new pad --platform android
                @phone login alice
                wait 2s
                @phone app kill
                @pad login alice
                wait 2s
                @phone app start
                @phone autologin alice
                wait 2s
                """)
        let autologin = try harness.first { event in
            guard case .input(.clientCommand(_, .login(let call))) = event.content else { return false }
            return call.mode == .automatic
        }
        let unchanged = finalStates(try harness.outcome(.none, at: autologin - 1))["phone"] ?? nil
        #expect(unchanged != .online)
        let forced = try harness.outcome(.edit(field: "forced", value: "true"), at: autologin)
        #expect(finalStates(forced) == ["phone": .online, "pad": .kicked])
        // A computer does not take the slot of a phone.
        let pad = try harness.first { event in
            guard case .start = event.content else { return false }
            return event.node == "pad"
        }
        let desktop = try harness.outcome(.edit(field: "platform", value: "windows"), at: pad)
        #expect(finalStates(desktop) == ["phone": .online, "pad": .online])
    }

    @Test func `an offline login can be an online one, and back`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: zim
                client new phone --platform ios
                @phone net down
                @phone login alice
                wait 2s
                """)
        let login = try harness.first { event in
            guard case .input(.clientCommand(_, .login)) = event.content else { return false }
            return true
        }
        let offline = try harness.outcome(.edit(field: "offline", value: "true"), at: login)
        #expect(!offline.isSame)
    }

    @Test func `a changed scenario ends when it is stable, or at the limit`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                @phone login alice
                wait 2s
                @phone net half-open
                wait 1s
                @phone net clear
                """)
        let clear = try harness.first { event in
            guard case .environment(.net(.clear)) = event.content else { return false }
            return true
        }
        func run(_ change: WhatIf.Change, at number: UInt64) throws -> WhatIfOutcome {
            try WhatIf(harness.decoded, change, at: number).run(harness.configuration, untilStable: true)
        }
        let stable = try run(.none, at: clear)
        guard case .stable = stable.ending else {
            Issue.record("\(stable.ending)")
            return
        }
        #expect(stable.isSame)
        // Without `net clear`, the network remains half-open. After the end of the recording, the client detects this and
        // tries to reconnect until the limit, so the scenario does not become stable.
        let limit = try run(.mute, at: clear)
        guard case .limit(_, let unsettled) = limit.ending else {
            Issue.record("\(limit.ending)")
            return
        }
        #expect(unsettled == ["phone is reconnecting"])
        #expect(finalStates(limit) == ["phone": .reconnecting])
        #expect(try harness.outcome(.mute, at: clear).ending == .recording)
    }
}
