import IMClient
import IMProtocol
import IMServer
import Testing

@testable import IMDebugger
@testable import IMRepl

/// Tests that states are shown with the names that the shell uses.
@Suite struct StateTextTests {
    private func shown(_ json: String) throws -> String {
        try #require(StateTree(json: Array(json.utf8))).displayed().line
    }

    @Test(arguments: [
        (#"{"lastResult":32}"#, "{last-result=timeout}"), (#"{"mode":4}"#, "{mode=resume}"),
        (#"{"heartbeatInterval":30000000000}"#, "{heartbeat-interval=30s}"),
        (#"{"retryDelays":[2000000000,4000000000]}"#, "{retry-delays=[2s, 4s]}"),
        (#"{"since":9070000000}"#, "{since=+9.070s}"), (#"{"platform":1,"osType":7}"#, "{platform=ios os-type=7}"),
        (#"{"expiresAtMilliseconds":1767312001000}"#, "{expires-at=2026-01-02T00:00:01Z}"),
        (#"{"expiresAtMilliseconds":0}"#, "{expires-at=none}"),
        (#"{"link":{"id":{"rawValue":3}}}"#, "{link={id=3}}"),
        // Names that users choose are unchanged.
        (#"{"accounts":{"myUser":{"lastEpoch":2}}}"#, "{accounts={myUser={last-epoch=2}}}"),
    ])
    func `numbers are shown as the names that they represent`(json: String, words: String) throws {
        #expect(try shown(json) == words)
    }

    @Test(arguments: [
        (NodeTimer.client(.heartbeatAnswer), "heartbeat-answer"), (.client(.request(3)), "request(3)"),
        (.client(.message(4)), "message(4)"), (.client(.treeAnswer(5)), "tree-answer(5)"),
        (.server(.silence(ConnectionID(6))), "silence(6)"), (.server(.overdue(ConnectionID(7))), "overdue(7)"),
        (.server(.presence(user: "Alice", device: "phone 1")), "presence(\"phone 1\", Alice)"),
    ])
    func `a timer is shown with its associated values`(timer: NodeTimer, text: String) {
        #expect(timer.text == text)
    }

    @Test func `a field is found under both of its names`() throws {
        let tree = try #require(StateTree(json: Array(#"{"local":{"lastResult":0}}"#.utf8)))
        #expect(tree[path: "local.last-result"] == tree[path: "local.lastResult"])
        #expect(tree[path: "local.last-result"] != nil)
    }

    @Test func `the associated values of an enum case are shown beside its name`() throws {
        let json = #"{"phase":{"attempting":{"_0":{"user":"alice"},"stage":2}}}"#
        #expect(try shown(json) == "{phase={attempting={user=alice stage=syncing}}}")
        let tree = try #require(StateTree(json: Array(json.utf8)))
        #expect(tree[path: "phase.attempting.user"] == .text("alice"))
    }

    @Test func `the page shows the same names`() {
        #expect(
            StateText.path("accounts.myUser.devices.phone-1.lastHeard") == "accounts.myUser.devices.phone-1.last-heard"
        )
        #expect(StateText.value("32", at: "local.lastResult") == "timeout")
        #expect(StateText.value("9070000000", at: "phase.online.since.nanoseconds") == "+9.070s")
        #expect(StateText.value("\"alice\"", at: "user") == "alice")
    }

    @Test func `a state and its differences use these names`() throws {
        let session = try SessionLibrary.replay("s-08-kicked-while-reconnecting")
        let path = try StatePath("phone.local.last-result", in: session.debug)
        try session.timeline.go(to: 60)
        #expect(try session.debug.value(of: path, in: session.state()).displayed(path.lastName).line == "ok")
        let phone = try #require(session.timeline.state(at: 60)[session.node(named: "phone")])
        let lines = StateSummary(phone, name: "phone", at: try session.time()).lines
        #expect(lines.contains { $0.hasPrefix("local") && $0.contains("last-result=ok") })
        #expect(lines.contains { $0.hasPrefix("phase") && $0.contains("mode=manual") && $0.contains("retry-count=") })
        #expect(lines.contains { $0.contains("token-expiry at +") })
    }
}
