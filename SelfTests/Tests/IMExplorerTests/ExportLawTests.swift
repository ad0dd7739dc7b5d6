import IMClient
import IMDebugger
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import Recorder
import SansIO
import Testing

@testable import ExploreProgram
@testable import IMCheckers
@testable import IMExplorer
@testable import IMExport
@testable import IMShell

/// The self-checks of exports pass for correct exports, and report errors.
@Suite struct ExportLawTests {
    private static func scenario(_ profile: String, _ steps: [ScenarioStep]) -> Scenario {
        let client = ScenarioStep("phone", .addClient(.ios, device: nil))
        return Scenario(profile: profile, seed: 7, steps: [client] + steps + [.wait(.seconds(5))])
    }

    private static func login(_ user: String, _ lifetime: Interval? = nil) -> ScenarioStep {
        ScenarioStep("phone", .login(user: user, .manual, lifetime: lifetime))
    }

    /// `isBroken` finds the violation of the given self-check, even if an earlier self-check is violated too.
    @Test func aSelfCheckIsDistinguishedFromAnEarlierFailure() {
        let selfChecks = RecordingSelfChecks(further: [{ _, _ in nil }, { _, _ in "one" }, { _, _ in "two" }])
        let scenario = Scenario(profile: "nim", seed: 1, steps: [ScenarioStep("phone", .addClient(.ios, device: nil))])
        for (kind, isBroken) in [("one", true), ("two", true), ("three", false)] {
            #expect(selfChecks.isBroken(by: scenario, as: Violation(.recorder, "C-16", kind)) == isBroken)
        }
    }

    @Test func theScriptOfAScenarioGivesTheSameSession() throws {
        let send = ScenarioStep("phone", .command(.send(to: "bob", text: "- text-1 \"#\"")))
        let scenarios = [
            Self.scenario("nim", [Self.login("alice"), .wait(.seconds(1)), send]),
            Self.scenario("zim", [Self.login("alice", .seconds(30)), .wait(.minutes(1)), send]),
            Self.scenario("wilddog", [ScenarioStep("phone", .command(.tree(.listen(path: "l", TreeListening()))))]),
        ]
        for scenario in scenarios {
            #expect(try ExportSelfChecks.scriptMakesTheSame(scenario) == nil)
            #expect(try ExportSelfChecks.nothingIsLeft(scenario) == nil)
        }
    }

    /// A recording does not contain a command that the world refused.
    @Test func refusedCommandsAreNotExpectedInAScript() throws {
        let dead = [ScenarioStep("phone", .app(.kill)), Self.login("bob"), ScenarioStep("phone", .app(.start))]
        #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("nim", dead + [Self.login("alice")])) == nil)
    }

    /// A scenario cannot change the network of a closed client.
    @Test func closedClientsAreNotExpectedInAScript() throws {
        let steps = [Self.login("alice"), .wait(.seconds(1)), ScenarioStep("phone", .app(.close))]
        #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("zim", steps)) == nil)
    }

    /// The network holds a frame with a token. The token in the frame that arrives first is another one.
    @Test func aTokenThatArrivesAfterALaterOneIsWritten() throws {
        let hold = FrameRule(.hold, frame: "renew-token", direction: .toServer, count: 1)
        let steps = [
            Self.login("alice"), .wait(.seconds(1)), ScenarioStep("phone", .net(.rule(hold))),
            ScenarioStep("phone", .renewToken(lifetime: .minutes(5))), .wait(.milliseconds(50)),
            ScenarioStep("phone", .renewToken(lifetime: .minutes(9))), .wait(.milliseconds(50)),
        ]
        for end in [[], [ScenarioStep("phone", .net(.clear))]] {
            #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("agora-rtm", steps + end)) == nil)
        }
    }

    /// A connection request arrives at the instant at which the server is up again, and fails.
    @Test func aConnectWithoutAServerStaysWithoutOne() throws {
        let pad = ScenarioStep("pad", .addClient(.ios, device: nil))
        let padsLogin = ScenarioStep("pad", .login(user: "alice", .manual, lifetime: nil))
        let moment = ScenarioStep.wait(.milliseconds(10))
        let steps = [
            pad, Self.login("alice"), moment, padsLogin, ScenarioStep("server", .serverProcess(.down)), moment,
            ScenarioStep("server", .serverProcess(.up)), moment,
        ]
        #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("nim", steps)) == nil)
    }

    /// A connection request that arrives after the server's restart succeeds.
    @Test func aPendingConnectIsNotAwaited() throws {
        let process = [WorldCore.ServerAction.down, .up].map { ScenarioStep("server", .serverProcess($0)) }
        let steps =
            [Self.login("alice"), .wait(.seconds(5)), ScenarioStep("phone", .net(.down))] + process
            + [ScenarioStep("phone", .net(.clear)), .wait(.seconds(5))]
        #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("zim", steps)) == nil)
    }

    /// A wait of zero length lets the events happen that are due at this instant.
    @Test func eventsBetweenSimultaneousCommandsAreWritten() throws {
        let down = ScenarioStep("phone", .net(.down)), up = ScenarioStep("phone", .net(.up))
        let steps = [Self.login("alice"), .wait(.seconds(1)), down, .wait(.zero), up, .wait(.seconds(5))]
        #expect(try ExportSelfChecks.scriptMakesTheSame(Self.scenario("agora-rtm", steps)) == nil)
    }

    @Test func anEmptyScenarioIsNotRequested() throws {
        let amounts = [SyncAmount(.groups, 0), SyncAmount(.offlineMessages, 2), SyncAmount(.roamingMessages, 0)]
        let scenario = Self.scenario("nim", [.server(.populate(user: "alice", amounts)), Self.login("alice")])
        let bytes = try ScenarioRecording.bytes(of: scenario)
        var export = try ScriptExport(ExportedSession(reader: SessionReader(bytes: bytes), path: "a"))
        #expect(export.script().contains { $0.hasSuffix("server populate alice --messages 2") })
    }

    @Test func remainingPersonalDataIsReported() throws {
        let text = "meet at the station"
        let steps = [
            Self.login("alice"), .wait(.seconds(1)), ScenarioStep("phone", .command(.send(to: "bob", text: text))),
        ]
        let bytes = try ScenarioRecording.bytes(of: Self.scenario("nim", steps))
        let originals = try ExportSelfChecks.Originals(DecodedSession(SessionReader(bytes: bytes)))
        // The unredacted recording contains original texts.
        #expect(originals.firstLeft(in: bytes) != nil)
        #expect(try originals.firstFieldWithOriginal(in: DecodedSession(SessionReader(bytes: bytes))) != nil)
        #expect(originals.firstLeft(in: Array("they \(text)s".utf8)) == text)
        #expect(originals.firstLeft(in: Array("alic".utf8)) == nil)
    }
}
