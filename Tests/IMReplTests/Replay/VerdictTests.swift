import Foundation
import Recorder
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// Tests of the last lines of `why`: the external cause, the rule, and the policy value that decided.
@Suite struct VerdictTests {
    private func verdict(_ script: String, at filter: String) throws -> CauseVerdict {
        let reader = try SessionReader(bytes: try Played.recording(script))
        let session = try ReplaySession(reader, path: "played", output: LineOutput.silent)
        let number = try #require(try session.shown(by: filter).last)
        return try CauseFinder(session.debug).explanation(of: number).verdict
    }

    private static func two(_ profile: String, _ change: String = "") -> String {
        """
        #! imrepl script 1
        # profile: \(profile)
        client new phone --platform ios
        client new pad --platform ios
        \(change)
        @phone login alice
        wait 2s
        @pad login alice
        wait 2s
        """
    }

    @Test(arguments: [
        (two("nim"), ["NIM-11"], ["exclusion=mobile-desktop"]),
        (two("nim", "server policy exclusion=single"), ["NIM-11"], ["exclusion=single"]),
        (two("agora-rtm"), ["RTM-6"], ["exclusion=single"]),
        (
            two("agora-chat", "server policy device-count-max=1"), ["CHAT-2"],
            ["exclusion=per-platform", "device-count-max=1"]
        ),
    ])
    func `a kick names the rule and the deciding policy`(script: String, ids: [String], values: [String]) throws {
        let verdict = try verdict(script, at: "kick")
        #expect(verdict.rule?.ids == ids)
        #expect(verdict.rule?.values == values)
        #expect(verdict.cause != nil)
        #expect(verdict.what.contains("a command of the app"))
    }

    @Test func `a kick that was delivered late says so, and its cause is the other login`() throws {
        let session = try SessionLibrary.replay("s-08-kicked-while-reconnecting")
        let verdict = try CauseFinder(session.debug).explanation(of: 83).verdict
        #expect(verdict.cause == 56)
        #expect(verdict.rule?.ids == ["RTM-6", "C-7"])
        #expect(verdict.rule?.values == ["exclusion=single"])
    }

    @Test func `too frequent logins name the rate limit and its values`() throws {
        let logins = (0..<11).map { _ in "login alice\nwait 1s\nlogout\nwait 1s" }.joined(separator: "\n")
        let script = "#! imrepl script 1\n# profile: nim\nclient new phone\n\(logins)\nlogin alice\nwait 2s"
        let verdict = try verdict(script, at: "kind == result and result == login and status == failed")
        #expect(verdict.rule?.ids == ["NIM-8"])
        #expect(verdict.rule?.values.first == "login-rate-max=10")
    }

    /// Each rule that `why` names exists in `help rules`.
    @Test(arguments: SessionLibrary.scripts) func `every rule that is named is in the catalogue`(script: String) throws
    {
        let session = try SessionLibrary.replay(String(script.dropLast(4)))
        let finder = CauseFinder(session.debug)
        for number in try session.shown(by: "kind == transition").suffix(8) {
            let rule = try finder.explanation(of: number).verdict.rule
            #expect(rule?.ids.allSatisfy { RuleCatalogue.rule($0) != nil } ?? true)
            if try session.event(number).kind == "transition", rule == nil {
                // Only actions of the app, and refusals without a rule, have no rule.
                #expect(try session.text(of: session.event(number)).contains("→ "))
            }
        }
    }
}
