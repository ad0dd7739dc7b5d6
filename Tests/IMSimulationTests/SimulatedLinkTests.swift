import IMClient
import IMProfiles
import IMProtocol
import IMSession
import SansIO
import Testing

@testable import IMSimulation

/// Tests of the effects of the `net` commands on both ends of a connection, in virtual time. `LinkConditions` documents
/// the effects.
@Suite struct SimulatedLinkTests {
    @Test func downEndsTheClientsLinkAtOnceAndTheServerSeesSilence() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.net(.down)
        #expect(harness.seen("phone").contains("linkClosed networkDown"))
        harness.pass(.seconds(60))
        #expect(!harness.seen("server").contains("linkClosed"))
        // The server's time limit is counted from the last byte that it received (C-12).
        harness.pass(.seconds(60))
        #expect(harness.state == .reconnecting)
        #expect(try harness.devices("alice").contains("presence=away"))
    }

    @Test func heartbeatsDetectHalfOpenOnBothSides() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.net(.halfOpen)
        harness.pass(.seconds(29))
        #expect(harness.state == .online)
        // The client sends a heartbeat after 30 s, and waits 10 s for its answer.
        harness.pass(.seconds(13))
        #expect(harness.state == .reconnecting)
        harness.pass(.seconds(60))
        #expect(try harness.devices("alice").contains("presence=away"))
        harness.net(.up)
        harness.pass(.seconds(30))
        #expect(harness.state == .online)
    }

    @Test func bothEndsSeeAReset() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.pass(.seconds(5))
        harness.net(.reset)
        #expect(harness.seen("phone").contains("linkClosed reset"))
        #expect(harness.seen("server").contains("linkClosed reset"))
        harness.pass(.seconds(1))
        #expect(harness.state == .online)
    }

    @Test func aClosedClientDoesNotStartAgain() throws {
        let harness = try Harness("nim")
        let phone = try harness.node("phone")
        try harness.core.closeClient(phone)
        #expect(throws: WorldError.self) { try harness.core.app(.start, client: phone) }
        #expect(harness.core[phone].machine == nil)
    }

    /// Only a forged recording can contain a server that connects.
    @Test func aServerDoesNotConnect() throws {
        let world = try SimulatedWorld(WorldConfiguration(try #require(Dialects.named("nim"))))
        let server = try #require(world.core.serverID)
        world.network.connect(ConnectionID(1), from: server, cause: .none)
        world.network.apply(.down, to: server, cause: .none) {}
        #expect(world.network.links.isEmpty && world.network.conditions(of: server) == nil)
    }

    @Test func aFrameThatIsTooLargeEndsTheLinkAsOnSockets() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.pass(.seconds(5))
        let text = String(repeating: "x", count: ProtocolLimit.frameBytesMax)
        let large = Frame(.message(ChatMessage(id: "m", to: "alice", text: text)))
        let link = try #require(harness.world.network.links.last)
        harness.world.network.send(large, over: link.connection, from: try harness.node("phone"), cause: .none)
        harness.pass(.milliseconds(100))
        #expect(harness.seen("server") == "linkClosed reset")
        #expect(harness.seen("phone").contains("linkClosed closedByPeer"))
        harness.pass(.seconds(5))
        #expect(harness.state == .online)
        let next = try #require(harness.world.network.links.last?.serverConnection)
        harness.world.network.send(large, over: next, from: try #require(harness.core.serverID), cause: .none)
        harness.pass(.milliseconds(100))
        #expect(harness.seen("server") == "linkClosed reset; linkClosed closedByPeer")
    }

    @Test func aNetworkSwitchReconnectsAtOnce() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.pass(.seconds(5))
        harness.net(.switchNetwork)
        harness.pass(.milliseconds(200))
        #expect(harness.state == .online)
        #expect(harness.seen("phone").contains("loginStep networkChanged"))
    }

    @Test func aServerThatIsDownRefusesAndKeepsItsAccounts() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        harness.pass(.seconds(5))
        try harness.server(.down)
        harness.pass(.seconds(1))
        #expect(harness.seen("phone").contains("linkFailed refused"))
        try harness.server(.up)
        harness.pass(.seconds(70))
        #expect(harness.state == .online)
        #expect(try harness.devices("alice").contains("epoch=1"))
    }

    @Test func aWakingDeviceFirstGetsTheLengthOfItsSleep() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        try harness.app(.sleep(.seconds(300)))
        harness.pass(.seconds(299))
        #expect(harness.state == .online)
        harness.pass(.seconds(60))
        // The server ended the login's connection during the sleep, and the client has logged in again.
        #expect(harness.state == .online)
        let scenario = harness.seen("phone")
        let woke = scenario.range(of: "woke")
        let closed = scenario.range(of: "linkClosed")
        #expect(
            woke != nil && closed != nil
                && (woke?.lowerBound ?? scenario.endIndex) < (closed?.lowerBound ?? scenario.startIndex))
    }

    @Test func aKilledAppFindsItsLogin() throws {
        let harness = try Harness("nim")
        try harness.logIn("alice")
        try harness.app(.kill)
        #expect(throws: WorldError.self) { try harness.ask(.query(.state)) }
        try harness.app(.start)
        #expect(harness.client?.local.lastUser == "alice")
        #expect(harness.client?.local.autologinAllowed == true)
        #expect(harness.state == .loggedOut)
    }

    @Test func anIdleHourWithThreeClientsIsQuick() throws {
        let harness = try Harness("agora-rtm")
        for name in ["a", "b", "c"] { try harness.add(name) }
        for (index, name) in ["a", "b", "c"].enumerated() {
            try harness.ask(
                .login(user: "u\(index)", credential: harness.reference("u\(index)"), mode: .manual), of: name)
        }
        harness.pass(.seconds(3600))
        for name in ["a", "b", "c"] { #expect(harness.machine(name)?.state == .online) }
    }
}

/// A simulated world with one client, and helpers for its events.
final class Harness {
    let world: SimulatedWorld
    private let profile: String

    convenience init(_ profile: String) throws {
        let dialect = try #require(Dialects.named(profile))
        try self.init(
            configuration: WorldConfiguration(
                profile: profile, clientPolicy: dialect.clientPolicy, serverPolicy: dialect.serverPolicy, seed: 1,
                epochNanoseconds: 1_767_225_600_000_000_000))
    }

    init(configuration: WorldConfiguration) throws {
        profile = configuration.profile
        world = try SimulatedWorld(
            configuration, recording: nil, store: MemoryClientStore(), summarize: { _ in "" })
        try add("phone")
    }

    var core: WorldCore { world.core }

    func add(_ name: String) throws { try core.addClient(name, platform: .ios) }

    func node(_ name: String) throws -> NodeID { try #require(core.node(named: name)) }

    func machine(_ name: String) -> ClientMachine? { core.node(named: name).flatMap { core[$0].client } }

    var client: ClientMachine? { machine("phone") }
    var state: ClientState? { client?.state }

    func reference(_ user: String) -> String { core.vault.reference(for: user) }

    func ask(_ command: ClientCommand, of name: String = "phone") throws {
        try core.command(command, client: try node(name))
    }

    func logIn(_ user: String) throws {
        try ask(.login(user: user, credential: reference(user), mode: .manual))
        pass(.seconds(1))
        #expect(state == .online)
    }

    func pass(_ interval: Interval) {
        _ = world.run(until: core.now + interval) { _ in false }
    }

    func net(_ action: NetAction) {
        if let id = core.node(named: "phone") { core.net(action, client: id) }
    }

    func app(_ action: AppAction) throws { try core.app(action, client: try node("phone")) }

    func server(_ action: WorldCore.ServerAction) throws { try core.server(action) }

    /// The server's list of a user's devices, as text.
    func devices(_ user: String) throws -> String {
        let start = core.eventsSeen
        try core.command(.listDevices(user: user))
        return core.events(from: start).flatMap(\.facts).map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    /// The events of a node in a short form, oldest first.
    func seen(_ node: String) -> String {
        core.events.filter { $0.node == node }.map { event in
            switch event.content {
            case .input(.linkFailed(_, let fault)): return "linkFailed \(fault)"
            case .input(.linkClosed(_, let fault)): return "linkClosed \(fault)"
            case .input(.app(.woke)): return "woke"
            case .effect(.notify(.loginStep(let step))): return "loginStep \(step)"
            default: return ""
            }
        }.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
