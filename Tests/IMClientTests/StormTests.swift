import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

/// Random inputs in any order do not make the machine trap, and its invariants hold after each input.
@Suite struct ClientStormTests {
    @Test("C-1 C-2 C-4 C-5: no order of inputs violates an invariant", arguments: Array(UInt64(0)..<40))
    func storm(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let phone = ClientPhase.loggedOut.transcript([nim, rtm, zim, chat][Int(seed % 4)])
        for step in 0..<2000 {
            let input = ClientStormTests.input(for: phone, &random)
            switch random.below(4) {
            case 0: phone.pass(random.interval(upTo: .seconds(40)))
            case 1: phone.pass(random.interval(upTo: .milliseconds(900)))
            default: break
            }
            switch input {
            case .command(_, let command): phone.command(command)
            default: phone.feed(input)
            }
            if let broken = ClientStormTests.brokenPromise(of: phone) {
                Issue.record("seed \(seed), step \(step), \(input): \(broken)")
                return
            }
        }
        // In every state, a logout completes all commands.
        phone.command(.logout(keepsPush: true))
        phone.wait(10)
        #expect(phone.incomplete == [])
        #expect(phone.machine.nextDeadline == nil || phone.state == .kicked)
    }

    @Test("design 2: the same random inputs give the same effects")
    func storms() {
        func run() -> [[String]] {
            var random = SeededRandom(seed: 5)
            let phone = ClientPhase.loggedOut.transcript(rtm)
            return (0..<2000).map { _ in
                phone.pass(random.interval(upTo: .seconds(3)))
                return phone.feed(ClientStormTests.input(for: phone, &random))
            }
        }
        #expect(run() == run())
    }

    @Test("design 2: a call at the extreme instants returns", arguments: ClientPhase.allCases)
    func extremeInstants(_ phase: ClientPhase) {
        for policy in [nim, rtm] {
            for instant in [Instant.distantFuture, Instant(nanoseconds: .min), Instant(nanoseconds: .max - 1)] {
                var machine = phase.transcript(policy).machine
                for _ in 0..<5 {
                    let effects = machine.handle(.deadlineReached, at: instant)
                    #expect(effects.count < 20)
                    _ = machine.handle(.linkFailed(machine.nextConnection, .reset), at: instant)
                    _ = machine.handle(.appChanged(.woke(slept: .nanoseconds(.max))), at: instant)
                }
            }
        }
    }

    private static func brokenPromise(of phone: ClientTranscript) -> String? {
        if phone.links.count > 1 { return "links \(phone.links.map(\.rawValue).sorted())" }
        if phone.completions.values.contains(where: { $0 > 1 }) { return "a command was completed twice" }
        if phone.completions.keys.contains(where: { $0 > phone.commands }) { return "a command that was never given" }
        switch phone.state {
        case .loggedOut, .kicked, .tokenExpired:
            // An admin call may be pending, over its own connection (CHAT-6).
            let isCalling = phone.incomplete.count == 1 && phone.machine.policy.features.contains(.accountCalls)
            if phone.machine.nextDeadline != nil && !isCalling { return "a timer without a login" }
            if !phone.links.isEmpty && !isCalling { return "a link without a login" }
            if !phone.incomplete.isEmpty && !isCalling { return "commands \(phone.incomplete) are left over" }
            if phone.machine.isDataOpen { return "data is open without a login" }
        case .connecting, .syncing, .online, .reconnecting, .offline:
            // In systems that only report the expiry of a token, an expired token may stop the attempts (RTM-5).
            let isStopped =
                phone.machine.policy.features.contains(.tokenRenewal) && !phone.machine.policy.tokenExpiryEndsLogin
            if phone.machine.nextDeadline == nil && !isStopped { return "nothing drives the login on" }
        }
        return nil
    }

    private static func input(for phone: ClientTranscript, _ random: inout SeededRandom) -> ClientInput {
        // Most inputs belong to the current connection, because only these have an effect.
        let id = random.below(8) == 0 ? ConnectionID(UInt32(random.below(50))) : phone.link
        let faults = LinkError.allCases
        switch random.below(16) {
        case 0, 1: return .command(CommandID(0), command(&random))
        case 2, 3: return .linkOpened(id)
        case 4: return .linkFailed(id, faults[Int(random.below(UInt64(faults.count)))])
        case 5: return .linkClosed(id, faults[Int(random.below(UInt64(faults.count)))])
        case 6: return .frameUnreadable(id, .notProtobuf)
        case 7, 8: return .deadlineReached
        case 9:
            return .networkChanged(NetworkChange.allCases[Int(random.below(3))])
        case 10:
            let jump = Interval.nanoseconds(Int64(bitPattern: random.next()) >> random.below(60))
            return .appChanged(
                [.background, .foreground, .woke(slept: .seconds(9)), .clockSet(by: jump)][Int(random.below(4))])
        case 11, 12:
            let reply = LoginReply(
                .ok, epoch: random.below(3), serverTimeMilliseconds: time(&random), otherDevices: [],
                expiresAtMilliseconds: time(&random), wasGone: random.below(2) == 0)
            return .frameReceived(id, Frame(.loginAck(reply)))
        default: return .frameReceived(id, Frame(request: UInt32(random.below(40)), body(&random)))
        }
    }

    private static func command(_ random: inout SeededRandom) -> ClientCommand {
        let user = ["alice", "bob", ""][Int(random.below(3))]
        let clock = TokenClock(expiresAtMilliseconds: time(&random), deviceMilliseconds: time(&random))
        switch random.below(20) {
        case 0: return .logout(keepsPush: random.below(2) == 0)
        case 1, 12: return .renewToken(credential: random.below(9) == 0 ? "" : "next", clock: clock)
        case 2: return .kick(random.below(2) == 0 ? .otherDevices : .device(user))
        case 3: return .query(ClientQuery.allCases[Int(random.below(UInt64(ClientQuery.allCases.count)))])
        case 4, 5: return .send(to: user, text: "hi")
        case 6: return .join(channel: user)
        case 7: return .leave(channel: user)
        case 8: return .setOption(random.below(2) == 0 ? .retryCountMax(Int(random.below(4)) - 1) : .retryDelays([]))
        case 13: return .resend
        case 14: return .watch(user: user, isOn: random.below(3) > 0)
        case 15: return .setAttributes(channel: random.below(2) == 0 ? "" : user, [AnswerField(name: "a", value: "b")])
        case 16: return .ask(.members(channel: user))
        case 17: return .operate(.contactBan, target: user, ext: "")
        case 18: return .accountCall(user: user, credential: "p", .listDevices)
        default:
            return .login(
                user: user, credential: "token", mode: LoginMode.allCases[Int(random.below(6))], clock: clock)
        }
    }

    /// A random time in milliseconds since 1970: near the other clocks, unknown, or any number.
    private static func time(_ random: inout SeededRandom) -> Int64 {
        switch random.below(4) {
        case 0: 0
        case 1: Int64(bitPattern: random.next()) >> random.below(60)
        default: 1_700_000_000_000 + Int64(random.below(600_000))
        }
    }

    private static func body(_ random: inout SeededRandom) -> FrameBody {
        let status = Status.allCases[Int(random.below(UInt64(Status.allCases.count)))]
        let reasons = KickReason.allCases
        switch random.below(22) {
        case 0: return .loginAck(LoginReply(status, epoch: random.below(3), otherDevices: [pad]))
        case 1: return .logoutAck(status)
        case 2: return .heartbeatAck
        case 3: return .kicked(KickNotice(reason: reasons[Int(random.below(6))], epoch: random.below(3), by: pad))
        case 4: return .kickAck(status)
        case 5, 6: return .syncDone
        case 7: return .syncPhase(.groups, count: .max, items: [SyncItem(id: "g\(random.below(9))", text: "")])
        case 15: return .renewTokenAck(status, expiresAtMilliseconds: time(&random))
        case 16: return .operated(DeviceOperation(id: "o", kind: .contactBan, target: "bob"))
        case 17: return .presence(user: "bob", .logout)
        case 18: return .setAttributesAck(status)
        case 19: return .answer(status, [])
        case 20: return .accountCallAck(status, [pad])
        case 8: return .devicesChanged(DeviceChange.allCases[Int(random.below(3))], [pad])
        case 9: return .tokenNotice(expired: random.below(2) == 0, remainingMilliseconds: .min)
        case 10: return .sendAck(status, id: "phone-\(random.below(9))-\(random.below(9))")
        case 11: return .message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi"))
        case 12: return .joinAck(status, channel: "bob", members: [])
        case 13: return .memberChanged(channel: "bob", user: "bob", joined: true)
        case 14: return .goodbye(.shutdown, detail: "")
        default: return [.sync, .heartbeat, .messageAck(id: "m"), .logout(keepsPush: true)][Int(random.below(4))]
        }
    }
}
