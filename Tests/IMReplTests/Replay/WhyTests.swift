import Foundation
import IMProtocol
import Recorder
import Testing

@testable import IMDebugger
@testable import IMRepl

/// Tests of the answers of `why` about a kick, in addition to the chain of causes, with recordings of the library.
@Suite struct WhyTests {
    /// `kick` is the number of a kick among all kicks. `decision` and `lost` are numbers of logins among the logins
    /// that reach the server.
    @Test(
        arguments: [
            // The kick was delivered late: the login of the other device took the slot, not the phone's own login.
            ("s-08-kicked-while-reconnecting", 0, 1, 0),
            // The kick was delivered at once, so the chain of causes leads to the other device.
            ("readme", 0, nil, 0), ("p-06-kick-missed-while-away", 1, nil, 7),
            // The causes are an operator's command and an admin call.
            ("c-05-kicked-in-every-state", 0, nil, 1),
        ] as [(String, Int, Int?, Int)])
    func `the causes of a kick are the login that took the slot and the one that lost it`(
        name: String, kick: Int, decision: Int?, lost: Int
    ) throws {
        let session = try SessionLibrary.replay(name)
        let finder = CauseFinder(session.debug)
        let kicks = try session.shown(by: "kick")
        let logins = try session.shown(by: "node == server and dir == in and type == login")
        try #require(kicks.count > kick && logins.count > max(decision ?? 0, lost))
        let scenario = try finder.kickOrigin(of: finder.chain(from: kicks[kick]).steps)
        #expect(scenario == KickOrigin(decision: decision.map { logins[$0] }, endedLogin: logins[lost]))
    }

    /// A device is disconnected while others log in, log out and are kicked. Neither the login of a third device, nor a
    /// second login of the other device, nor an action on another device kicked it. The chain leads to the device that
    /// did.
    @Test(arguments: [
        (
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            client new mac --platform macos
            client new pad --platform ios
            @phone login alice
            wait 2s
            @phone net half-open
            wait 1s
            @mac login alice
            wait 2s
            @pad login alice
            wait 2s
            @pad logout
            wait 2s
            @pad login alice
            wait 2s
            @phone net up
            wait 120s
            """,
            "pad-555e"
        ),
        (
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            client new pad --platform ios
            @phone login alice
            @pad login bob
            wait 2s
            @phone net half-open
            wait 1s
            server kick alice
            wait 1s
            server kick bob
            wait 1s
            @phone net up
            wait 120s
            """,
            "server kick user=alice"
        ),
        (
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios --device phone-1
            client new mac --platform macos --device mac-1
            client new pad --platform ios --device pad-1
            client new web --platform web --device web-1
            @phone login alice
            @mac login alice
            @pad login bob
            @web login bob
            wait 2s
            @phone net half-open
            wait 1s
            @mac kick phone-1
            wait 1s
            @web kick pad-1
            wait 1s
            @phone net up
            wait 120s
            """,
            "kick device=phone-1"
        ),
        (
            """
            #! imrepl script 1
            # profile: agora-chat
            client new phone --platform ios --device phone-1
            client new web --platform web --device web-1
            client new outside --device out-1 --platform web
            @phone login alice
            @web login alice
            wait 2s
            @phone net half-open
            wait 1s
            @outside kick phone-1 --user alice
            wait 1s
            @outside kick web-1 --user alice
            wait 1s
            @phone net up
            wait 200s
            """,
            "account-call action=kick-device user=alice"
        ),
    ])
    func `a kick that was delivered late names the event that decided it`(script: String, words: String) throws {
        let session = try Played.replay(script)
        let kick = try session.timeline.last(before: session.count) { view in
            guard case .effect(.transition(let change)) = session.decoded(view).content else { return false }
            return change.to == .kicked && session.reader.name(of: view.node) == "phone"
        }
        let finder = CauseFinder(session.debug)
        let steps = try finder.chain(from: try #require(kick).number).steps
        let scenario = try finder.kickOrigin(of: steps)
        let texts = try steps.map { try session.text(of: session.event($0.number)) }
        #expect(texts.contains { $0.contains(words) }, "\(texts)")
        let login = try session.timeline.first(after: 0) { view in
            guard view.role == .input, case .input(.frame(_, let frame)) = session.decoded(view).content,
                case .login(let request) = frame.body
            else { return false }
            return request.user == "alice"
        }
        #expect(scenario == KickOrigin(decision: nil, endedLogin: login?.number))
    }

    @Test func `an admin call that was delivered late is found`() throws {
        let session = try SessionLibrary.replay("chat-06-calls-without-a-login")
        let finder = CauseFinder(session.debug)
        let kick = try session.timeline.last(before: session.count) { view in
            guard case .input(.frame(_, let frame)) = session.decoded(view).content, case .kicked = frame.body else {
                return false
            }
            return true
        }
        let chain = try finder.chain(from: try #require(kick).number).steps
        let scenario = try #require(try finder.kickOrigin(of: chain))
        let decision = try session.event(try #require(scenario.decision))
        guard case .input(.frame(_, let frame)) = decision.content, case .accountCall(let call) = frame.body else {
            Issue.record("\(decision)")
            return
        }
        #expect(call.action != .listDevices)
    }

    @Test func `a timer that sets itself repeatedly is one step`() throws {
        let session = try Played.replay(
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            login alice
            wait 130s
            net half-open
            wait 32s
            """)
        let fault = try #require(try session.shown(by: "text =~ half-open").first)
        let timers = try session.shown(by: "node == phone and kind == timer")
        // The heartbeats before the fault. Each of them set the timer for the next one.
        let heartbeatTimers = timers.filter { $0 < fault }
        let steps = try CauseFinder(session.debug).chain(from: try #require(heartbeatTimers.last)).steps
        let repeated = steps.filter { $0.repeats > 0 }
        #expect(repeated.map(\.how) == ["set the timer heartbeat"])
        #expect(repeated.map(\.repeats) == [heartbeatTimers.count - 2])
        // The last heartbeat had no answer because of the fault.
        let last = try CauseFinder(session.debug).chain(from: try #require(timers.last)).steps
        #expect(last.map(\.number) == [try #require(timers.last), fault])
    }

    @Test func `an event that is no kick has no kick origin`() throws {
        let session = try SessionLibrary.replay("s-08-kicked-while-reconnecting")
        let finder = CauseFinder(session.debug)
        #expect(try finder.kickOrigin(of: finder.chain(from: 55).steps) == nil)
        #expect(try finder.kickOrigin(of: []) == nil)
    }

    /// In every recording, the event that decided a kick precedes it and is a login, a command or a call. The login
    /// that ended belongs to the kicked device.
    @Test(arguments: SessionLibrary.scripts)
    func `every kick is explained`(_ script: String) throws {
        let session = try SessionLibrary.replay(String(script.dropLast(4)))
        let finder = CauseFinder(session.debug)
        for number in 1...session.count {
            guard case .input(.frame(_, let frame)) = try session.event(number).content,
                case .kicked(let notice) = frame.body
            else { continue }
            let chain = try finder.chain(from: number).steps
            guard let scenario = try finder.kickOrigin(of: chain) else {
                Issue.record("\(script) #\(number): no server sent it")
                continue
            }
            if let decision = scenario.decision {
                #expect(decision < number && !chain.map(\.number).contains(decision))
                let end = try finder.chain(from: decision)
                #expect(
                    end.end.contains("from outside the client") || end.end.contains("command of the scenario"), "\(end)"
                )
            }
            let lost = try session.event(try #require(scenario.endedLogin, "\(script) #\(number)"))
            guard case .input(.frame(_, let login)) = lost.content, case .login(let request) = login.body else {
                Issue.record("\(script) #\(number): \(lost)")
                continue
            }
            guard request.device.id == notice.by?.id else { continue }
            // Two processes on one device have different logins (C-6, RTM-6), so the process must match, too.
            let numbers = chain.map(\.number) + [scenario.decision].compactMap(\.self)
            let instances = try numbers.compactMap { number -> UInt64? in
                guard case .input(.frame(_, let frame)) = try session.event(number).content,
                    case .login(let other) = frame.body
                else { return nil }
                return other.instance
            }
            #expect(instances.contains { $0 != request.instance }, "\(script) #\(number)")
        }
    }

    /// A check before an SDK call sets its mark before the call. Another check sets its mark later.
    @Test func `the mark of a finding names its rule and the SDK call`() throws {
        let session = try Played.replay(
            """
            #! imrepl script 1
            # profile: agora-chat
            # seed: 1
            # world: simulated
            client new phone --platform ios
            rec mark 'C-2 [phone]: a login while another one is under way'
            @phone login alice
            wait 2s
            rec mark 'C-15 [phone]: the app shows no login, and the SDK is online'
            rec mark lunch
            """)
        let finder = CauseFinder(session.debug)
        let login = try #require(try session.shown(by: "node == phone and channel == sdk and kind == command").first)
        let marks = try session.shown(by: "kind == mark")
        let explanations = try marks.map { try finder.explanation(of: $0) }
        #expect(explanations.map { $0.verdict.rule?.ids.first } == ["C-2", "C-15", nil])
        for explanation in explanations.prefix(2) {
            #expect(explanation.verdict.what.hasPrefix("a check of the app found it; the SDK call: #\(login) "))
        }
        #expect(explanations.last?.verdict.what == "the user set a mark")
    }
}
