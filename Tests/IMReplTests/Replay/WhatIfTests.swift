import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMSimulation
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession

/// Tests of the same scenario with one event omitted, changed or delayed.
@Suite struct WhatIfTests {
    private static let missedKick = "s-08-kicked-while-reconnecting"

    private static let names = SessionLibrary.names
    /// Every eighth recording. `make test-deep` uses all of them.
    private static let sample =
        searchesDeeply
        ? names : names.enumerated().filter { $0.offset.isMultiple(of: 8) }.map(\.element)

    private func finalStates(_ outcome: WhatIfOutcome) -> [String] {
        outcome.finals.map { final in
            let (one, two) = (final.recorded?.name ?? "-", final.altered?.name ?? "-")
            return one == two ? "\(final.node) \(one)" : "\(final.node) \(one) → \(two)"
        }
    }

    // MARK: The outcome

    /// A recording does not contain the time at which a command was given to a sleeping app. The report states this.
    @Test func `callbacks for a sleeping app come when it wakes, and the report says so`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: zim
                client new pad --platform ipad
                @pad login alice
                wait 1s
                @pad app sleep 50s
                @pad app foreground
                wait 60s
                """)
        let word = try harness.first { if case .input(.app(.foreground)) = $0.content { true } else { false } }
        let login = try harness.first { if case .input(.clientCommand) = $0.content { true } else { false } }
        let before = try harness.outcome(.delay(.milliseconds(1)), at: login)
        #expect(before.commandDuringSleep?.number == word)
        let notice = "#\(word) was given while pad slept; its time is unknown: "
        let dialect = try #require(Dialects.named("zim"))
        #expect(
            WhatIfReport(before, dialect: dialect).lines(listsAll: false).filter { $0.hasPrefix(notice) }.count == 1)
        #expect(try harness.outcome(.none, at: word + 1).commandDuringSleep == nil)
    }

    @Test func `without the network's return nobody gets the kick`() throws {
        let outcome = try ScenarioHarness(Self.missedKick).outcome(.mute, at: 71)
        #expect(finalStates(outcome) == ["phone kicked → reconnecting", "pad online"])
        #expect(outcome.recorded.count == 2 && outcome.altered.isEmpty)
        let difference = try #require(outcome.difference)
        #expect(difference.node == "phone" && difference.recorded != nil && difference.altered == nil)
    }

    @Test func `without the other device's login nobody is kicked`() throws {
        let outcome = try ScenarioHarness(Self.missedKick).outcome(.mute, at: 56)
        #expect(finalStates(outcome) == ["phone kicked → online", "pad online → logged-out"])
        // The state of the pad is the first difference.
        #expect(outcome.difference?.node == "pad" && outcome.difference?.altered == nil)
    }

    @Test func `another reason gives another callback`() throws {
        let outcome = try ScenarioHarness(Self.missedKick).outcome(.edit(field: "reason", value: "server"), at: 79)
        #expect(finalStates(outcome) == ["phone kicked", "pad online"])
        #expect(!outcome.isSame)
        guard case .effect(.transition(let old))? = outcome.difference?.recorded?.content,
            case .effect(.transition(let new))? = outcome.difference?.altered?.content
        else {
            Issue.record("\(String(describing: outcome.difference))")
            return
        }
        #expect(old.reason == .remoteLogin && new.reason == .kickedByServer && old.to == new.to)
    }

    @Test func `a late login is still kicked, later`() throws {
        for (change, number) in [(WhatIf.Change.delay(.seconds(20)), UInt64(77)), (.delay(.seconds(1)), 79)] {
            let outcome = try ScenarioHarness(Self.missedKick).outcome(change, at: number)
            #expect(outcome.isSame && finalStates(outcome) == ["phone kicked", "pad online"])
            let pairs = zip(outcome.recorded, outcome.altered)
            #expect(pairs.allSatisfy { $0.time < $1.time }, "\(outcome.altered.map(\.time))")
        }
    }

    @Test func `a delay has the given length`() throws {
        let harness = try ScenarioHarness(Self.missedKick)
        // The client makes no attempt to reconnect in between, so the delayed kick has the same effects.
        let outcome = try harness.outcome(.delay(.milliseconds(300)), at: 79)
        let shifts = zip(outcome.recorded, outcome.altered).map { ($1.time.nanoseconds - $0.time.nanoseconds) }
        #expect(shifts == [300_000_000, 300_000_000])
    }

    @Test func `the user's actions can be delayed too`() throws {
        let harness = try ScenarioHarness(Self.missedKick)
        let outcome = try harness.outcome(.delay(.seconds(5)), at: 56)
        // The phone reconnects before the pad's login, so it is kicked while it is online.
        #expect(finalStates(outcome) == ["phone kicked", "pad online"])
        #expect(
            outcome.altered.contains { event in
                guard case .effect(.transition(let change)) = event.content else { return false }
                return event.node == "phone" && change.from == .online && change.to == .kicked
            })
    }

    @Test func `a stopped process does not run, and a restarted one is logged out`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                client new pad --platform android
                @phone login alice
                @pad login bob
                wait 1s
                rec mark "here"
                @phone app kill
                @pad app kill
                wait 1s
                @pad app start
                wait 1s
                """)
        let mark = try harness.first { $0.kind == "mark" }
        #expect(finalStates(try harness.outcome(.mute, at: mark)) == ["phone -", "pad logged-out"])
    }

    /// The machines may behave differently after the change, but the user's actions keep their times.
    @Test(arguments: names) func `external events come at their original times`(_ name: String) throws {
        let harness = try ScenarioHarness(name)
        let commands = harness.decoded.events.commands
        for number in [commands.first?.number, commands.dropFirst().first?.number].compactMap(\.self) {
            let (outcome, altered) = try harness.altered(.mute, at: number)
            let missing = Set(outcome.skipped.map(\.number) + [number])
            let expected = commands.filter { $0.number > number && !missing.contains($0.number) }
            let found = altered.commands.filter { $0.number >= number }
            #expect(found.map(\.text) == expected.map(\.text), "\(name) #\(number)")
        }
    }

    /// A frame in flight contains the credential. After its arrival, the recording contains only the verdict.
    @Test(arguments: ["login", "account-call"])
    func `an edited frame is not refused because of its credential`(kind: String) throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: agora-chat
                client new phone --platform ios
                client new pad --platform ios
                @phone login alice --ttl 300s
                wait 1s
                rec mark "here"
                @pad kick --all --user alice
                wait 1s
                """)
        let number = try harness.first { event in
            guard event.node == "server", case .input(.frame(_, let frame)) = event.content else { return false }
            return frame.body.name == kind
        }
        let outcome = try harness.outcome(.edit(field: "user", value: "alice"), at: number)
        #expect(outcome.isSame, "\(String(describing: outcome.difference))")
    }

    private static let tokenRunsOut = """
        #! imrepl script 1
        # profile: zim
        client new phone --platform ios
        client new pad --platform ios
        @phone login alice --ttl 40s
        wait 5s
        rec mark "here"
        @pad login bob
        wait 30s
        """

    @Test func `a timer can be delayed, or never fire`() throws {
        let harness = try ScenarioHarness(playing: Self.tokenRunsOut)
        let warning = try #require(harness.decoded.events.warnings.first)
        let timer = try harness.first { event in
            guard case .input(.deadlineReached) = event.content else { return false }
            return event.node == "phone" && event.time == warning
        }
        #expect(
            try harness.outcome(.delay(.milliseconds(1)), at: timer).altered.warnings == [warning + .milliseconds(1)])
        // Without the timer, the phone checks the time at its next input.
        let muted = try harness.outcome(.mute, at: timer).altered.warnings
        #expect(muted.allSatisfy { $0 > warning + .milliseconds(1) }, "\(muted)")
    }

    @Test func `until the delayed event, everything happens at its original time`() throws {
        let harness = try ScenarioHarness(playing: Self.tokenRunsOut)
        let login = try harness.first { event in
            guard case .input(.clientCommand) = event.content else { return false }
            return event.node == "pad"
        }
        // At 10 s the token is valid for another 30 s. The delayed login would be at 25 s.
        let outcome = try harness.outcome(.delay(.seconds(20)), at: login)
        #expect(outcome.recorded.warnings.count == 1)
        #expect(outcome.altered.warnings == outcome.recorded.warnings)
    }

    @Test func `an event that is delayed to the time of another one comes after it`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                wait 1s
                rec mark "one"
                wait 1s
                rec mark "two"
                wait 1s
                """)
        let mark = try harness.first { $0.kind == "mark" }
        let marks = try harness.altered(.delay(.seconds(1)), at: mark).events.compactMap { event in
            if case .mark(let text) = event.content { text } else { nil }
        }
        #expect(marks == ["two", "one"])
    }

    @Test func `the changed command is the one that runs`() throws {
        let harness = try ScenarioHarness(Self.missedKick)
        // A login of another user takes no slot, so nobody is kicked.
        let outcome = try harness.outcome(.edit(field: "credential", value: "nobody"), at: 56)
        #expect(finalStates(outcome) == ["phone kicked → online", "pad online → logged-out"])
        let fault = try harness.outcome(.edit(field: "command", value: "net delay 300ms"), at: 71)
        #expect(finalStates(fault) == ["phone kicked → reconnecting", "pad online"])
    }

    /// Without the frame of a kick, a device is kicked later or never. The outcome is different or takes longer.
    @Test(arguments: names) func `without the frame of a kick the scenario continues differently, or takes longer`(
        _ name: String
    ) throws {
        let harness = try ScenarioHarness(name)
        for event in harness.decoded.events {
            guard case .input(.frame(_, let frame)) = event.content, case .kicked = frame.body else { continue }
            let outcome = try harness.outcome(.mute, at: event.number)
            #expect(
                !outcome.isSame || outcome.recorded.map(\.time) != outcome.altered.map(\.time),
                "\(name) #\(event.number)")
        }
    }

    /// Omitting an event without effect gives the same outcome.
    @Test(arguments: names) func `without an irrelevant event the outcome is the same`(_ name: String) throws {
        let harness = try ScenarioHarness(name)
        for event in harness.decoded.events {
            switch event.content {
            case .mark: break
            case .input(.frame(_, let frame)): guard case .kickedAck = frame.body else { continue }
            default: continue
            }
            let outcome = try harness.outcome(.mute, at: event.number)
            #expect(outcome.isSame && outcome.skipped.isEmpty, "\(name) #\(event.number)")
        }
    }

    // MARK: Impossible changes

    /// An online client would send a heartbeat every half minute until the end of the recording.
    @Test func `a recording that claims to last centuries does not run for centuries`() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                login alice
                wait 1s
                rec mark end
                """)
        let mark = try harness.first { if case .mark = $0.content { true } else { false } }
        let bytes = try RecordingForgery.bytes(of: harness.decoded, changing: Int(mark) - 1) { event in
            var event = event
            event.time = Instant(nanoseconds: .max)
            return [event]
        }
        let whatIf = try WhatIf(DecodedSession(SessionReader(bytes: bytes)), .none, at: 9)
        let words = try #require(throws: WorldError.self) { _ = try whatIf.run(harness.configuration) }
        #expect("\(words)".hasSuffix("events happen before +9223372036.854s: too many to replay"))
    }

    @Test(arguments: [
        (UInt64(0), "there is no event 0; the last one is 696"), (697, "there is no event 697; the last one is 696"),
        (.max, "there is no event 18446744073709551615; the last one is 696"),
        (1, "#1 is not part of the scenario"),
        (2, "#2 is not part of the scenario"),
        (3, "#3 starts the server: the world needs it"),
        (72, "#72 is a direct result of the command #71: change that command"),
        (78, "#78 is an effect of server after the input #77; it arrives at #79: change that event"),
        (80, "#80 is an effect of phone after the input #79; it arrives at #85: change that event"),
        (693, "#693 is not part of the scenario"),
        (696, "#696 is not part of the scenario"),
    ])
    func `an event that cannot be changed has a reason`(number: UInt64, message: String) throws {
        let harness = try ScenarioHarness(Self.missedKick)
        for change in [WhatIf.Change.mute, .edit(field: "text", value: "x"), .delay(.seconds(1))] {
            #expect(harness.rejectionReason(change, at: number) == message)
        }
    }

    @Test(arguments: [
        (UInt64(79), "foo", "1", "'foo' of a kicked cannot be changed; use one of: reason, epoch"),
        (79, "", "1", "'' of a kicked cannot be changed; use one of: reason, epoch"),
        (
            79, "reason", "Server",
            "reason cannot be 'Server': other-login, server, other-device, banned, account-removed, password-changed"
        ),
        (79, "epoch", "-1", "epoch takes a whole number, not '-1'"),
        (79, "epoch", "18446744073709551616", "epoch takes a whole number, not '18446744073709551616'"),
        (79, "epoch", "", "epoch takes a whole number, not ''"),
        (56, "device", "x", "'device' of this command cannot be changed; use one of: user, offline, credential"),
        (71, "direction", "in", "'direction' of a fault cannot be changed; use one of: command"),
        (71, "command", "net sideways", "'net sideways' is not a fault of a recording, such as 'net delay 300ms'"),
        (4, "seed", "1", "'seed' of a client's start cannot be changed; use one of: device, platform"),
        (54, "name", "x", "#54 has no fields to change; only frames and commands have fields"),
    ])
    func `a field or a value that does not exist is refused`(
        number: UInt64, field: String, value: String, message: String
    ) throws {
        #expect(
            try ScenarioHarness(Self.missedKick).rejectionReason(.edit(field: field, value: value), at: number)
                == message)
    }

    /// Every field that is listed as editable can be edited. A field that does not exist cannot.
    @Test(arguments: sample) func `every editable field can be changed`(_ name: String) throws {
        let harness = try ScenarioHarness(name)
        let values =
            ["1", "true", "net up"] + CredentialVerdict.Finding.allCases.map(\.fieldText) + Status.allCases.map(\.name)
            + KickReason.allCases.map(\.name)
            + GoodbyeReason.allCases.map(\.name) + PresenceChange.allCases.map(\.name)
            + (FieldName.allCases.flatMap(\.values) + DeviceChange.words + OperationKind.words)
        var tried: Set<String> = []
        for event in harness.decoded.events {
            guard let refusal = harness.rejectionReason(.edit(field: "no-such", value: ""), at: event.number),
                refusal.hasPrefix("'no-such'")
            else { continue }
            let list = refusal.split(separator: "use one of: ").dropFirst().first
            for field in (list ?? "").split(separator: ", ").map(String.init) {
                guard tried.insert("\(refusal)\(field)").inserted else { continue }
                let possible = values.contains {
                    harness.rejectionReason(.edit(field: field, value: $0), at: event.number) == nil
                }
                #expect(possible, "\(name) #\(event.number) \(field): \(refusal)")
            }
        }
        #expect(!tried.isEmpty)
    }
}

extension [SessionEvent] {
    /// The commands that users gave to clients and to the server.
    fileprivate var commands: [(number: UInt64, text: String)] {
        filter { $0.kind == "command" }.map { event in
            (event.number, "\(event.time) \(event.node) \(event.facts.filter { $0.name != "id" })")
        }
    }

    /// The times at which an app was notified that its token will expire.
    fileprivate var warnings: [Instant] {
        filter { event in
            if case .effect(.notify(.tokenWillExpire)) = event.content { true } else { false }
        }.map(\.time)
    }
}
