import Foundation
import IMDebugger
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl

/// Tests of the reasons why something did not happen, in small scenarios.
@Suite struct WhyNotTests {
    private static let beginning = """
        #! imrepl script 1
        # profile: nim
        client new phone --platform ios
        @phone login alice
        wait 2s

        """

    private func answer(
        _ script: String, _ condition: String, node: String? = nil, at position: UInt64? = nil
    ) throws -> (WhyNotAnswer, DebugSession) {
        let session = try Played.replay(script).debug
        try session.move(to: position ?? session.count)
        return (try session.whyNot(try ReplayCondition(condition), node: node), session)
    }

    // MARK: Frames and kicks that did not arrive

    @Test func `a lost kick is reported, with the rule that the server stores it`() throws {
        let (answer, session) = try answer(
            Self.beginning + "@phone net half-open\nserver kick alice\nwait 5s", "kick")
        let sent = try #require(try session.first("type == kicked and dir == out"))
        #expect(!answer.holds)
        #expect(answer.frames.map(\.number) == [sent] && answer.frames[0].isLost && answer.frames[0].isDecisive)
        let kick = try #require(answer.pendingKicks.first)
        #expect(try kick.decided == session.first("kind == command and command == kick"))
        #expect(kick.sent == sent)
        #expect(answer.rule?.ids == ["C-7"])
        let fault = try #require(try session.first("kind == fault"))
        #expect(answer.blocker == "server's frame 'kicked' was sent at #\(sent) and lost because of #\(fault)")
    }

    @Test func `a kick of a device that is away is reported as not delivered yet`() throws {
        let (answer, session) = try answer(
            Self.beginning + "@phone net down\nwait 1s\nserver kick alice\nwait 5s", "kick")
        #expect(answer.frames.allSatisfy { !$0.isDecisive })
        let decided = try #require(try session.first("kind == command and command == kick"))
        #expect(answer.pendingKicks.map(\.decided) == [decided])
        #expect(answer.rule?.ids == ["C-7"])
        #expect(
            answer.blocker == "the server decided the kick at #\(decided) but has not delivered it to phone-5cc1")
    }

    @Test func `a frame that arrives later is in flight at the position`() throws {
        let script = Self.beginning + "server kick alice\nwait 5s"
        let session = try Played.replay(script).debug
        let sent = try #require(try session.first("type == kicked and dir == out"))
        let (answer, _) = try answer(script, "kick", at: sent)
        #expect(answer.frames.map(\.number) == [sent] && !answer.frames[0].isLost && answer.frames[0].isDecisive)
        #expect(answer.nextMatch == (try session.first("kick")))
    }

    @Test func `a lost answer that blocks a login is reported`() throws {
        let (answer, session) = try answer(
            """
            #! imrepl script 1
            # profile: zim
            client new phone --platform ios
            @phone net drop login-ack --count 1
            @phone login alice
            wait 1s
            """, "to == online")
        let sent = try #require(try session.first("type == login-ack and dir == out"))
        #expect(answer.frames.map(\.number) == [sent] && answer.frames[0].isDecisive)
        #expect(answer.rule == nil)
    }

    @Test func `a loss for one client is no reason for another`() throws {
        let (answer, _) = try answer(
            Self.beginning + "client new mac --platform macos\n@phone net half-open\nserver kick alice\nwait 5s",
            "kick", node: "mac")
        #expect(answer.frames.isEmpty && answer.pendingKicks.isEmpty && answer.rule == nil)
        #expect(answer.clients.map(\.name) == ["mac"])
    }

    // MARK: Now

    @Test func `a state that ended again is reported, with its end`() throws {
        let (answer, session) = try answer(Self.beginning + "@phone net down\nwait 20s", "to == online")
        #expect(!answer.holds)
        #expect(answer.newestMatch == (try session.first("to == online")))
        let left = try #require(try session.first("to == reconnecting"))
        #expect(answer.matchEnd == left && answer.nearest?.number == left)
        #expect(answer.rule == (try session.why(left).verdict.rule))
        #expect(answer.blocker.hasPrefix("phone has been reconnecting since #\(left); its next timer is retry at +"))
        let up = Self.beginning + "@phone net down\nwait 20s\n@phone net up\nwait 5s"
        #expect(try self.answer(up, "to == online").0.holds)
    }

    @Test func `a process that has ended has no state`() throws {
        let (answer, session) = try answer(Self.beginning + "@phone app kill\nwait 1s", "state == online")
        #expect(answer.matchEnd == (try session.first("kind == stop and node == phone")))
        let (callback, _) = try self.answer(Self.beginning + "@phone app kill\nwait 1s", "callback == onLogin")
        #expect(callback.holds)
    }

    @Test func `without a client all clients are checked, and one of them in the state is sufficient`() throws {
        let mac = "client new mac --platform macos\n@mac login bob\nwait 2s\n"
        let script = Self.beginning + mac + "@phone net down\nwait 20s"
        let (all, session) = try answer(script, "to == online")
        #expect(all.holds)
        #expect(try all.newestMatch == session.first("to == online and node == mac"))
        #expect(try !answer(script, "to == online", node: "phone").0.holds)
        #expect(try !answer(script, "to == online and node == phone").0.holds)
        #expect(throws: DebuggerError.self) { try answer(script, "to == online", node: "pad") }
    }

    // MARK: The nearest event

    @Test func `the nearest event is the one that satisfies most comparisons`() throws {
        let (answer, session) = try answer(
            Self.beginning, "type == login-ack and dir == in and status == banned and epoch == 1")
        let nearest = try #require(answer.nearest)
        #expect(nearest.number == (try session.first("type == login-ack and dir == in")))
        #expect(nearest.shortfalls == ["expected status == banned, got ok"])
    }

    // MARK: Rules

    @Test func `a rule comes from the findings, and never from the words of the condition`() throws {
        let mac = Self.beginning + "client new mac --platform macos\n@mac login alice\nwait 2s"
        let (tolerated, session) = try answer(mac, "kick", node: "phone")
        #expect(tolerated.rule?.ids == ["NIM-11"] && tolerated.rule?.values == ["exclusion=mobile-desktop"])
        #expect(
            tolerated.toleratedLogin == (try session.last("type == login and dir == in and device == mac-ec67")))
        // No other login has occurred, so no rule has decided.
        #expect(try answer(Self.beginning, "kick").0.rule == nil)
        #expect(try answer(Self.beginning, "text =~ \"token kick reconnect\"").0.rule == nil)
        let (timer, _) = try answer(Self.beginning, "reconnect")
        #expect(timer.timer?.name.text == "heartbeat-answer" && timer.rule?.ids == ["C-12"])
        // A logout does not prevent a kick.
        #expect(try answer(Self.beginning + "@phone logout\nwait 1s", "kick").0.rule == nil)
        #expect(try answer(Self.beginning + "@phone logout\nwait 1s", "to == online").0.rule?.ids == ["C-4"])
    }

    @Test func `the values of a timer's rule come from the recorded client`() throws {
        let script = Self.beginning.replacing(
            "client new", with: "client policy heartbeat-interval-ms=7s heartbeat-answer-limit-ms=3s\nclient new")
        let (answer, _) = try answer(script, "reconnect")
        #expect(answer.timer?.name.text == "heartbeat-answer")
        #expect(answer.rule?.values == ["heartbeat-interval=7s", "heartbeat-answer-limit=3s"])
    }

    @Test(arguments: [
        ("nim", "onTokenKick", "NetEase NIM has no callback 'onTokenKick'; did you mean 'onKick'?"),
        (
            "nim", "connectionStateChanged",
            "NetEase NIM has no callback 'connectionStateChanged'; it is a callback of ZEGO ZIM"
        ),
    ])
    func `an unknown callback is reported, with a similar one`(
        profile: String, name: String, says: String
    ) throws {
        let (answer, _) = try answer(
            "#! imrepl script 1\n# profile: \(profile)\nclient new phone\nwait 1s", "callback == \(name)")
        #expect(answer.impossible?.hasPrefix(says) == true, "\(answer.impossible ?? "")")
        #expect(answer.rule == nil && answer.nearest == nil && !answer.holds)
    }
}
