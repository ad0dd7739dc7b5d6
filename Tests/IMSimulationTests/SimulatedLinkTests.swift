import IMClient
import IMDialects
import IMNetwork
import IMProtocol
import IMSession
import SansIO
import Testing

@testable import IMSimulation

/// What the `net` verbs mean to both ends, in virtual time; the same sentences stand at the head of LinkConditions.
@Suite struct SimulatedLinkTests {
    @Test func downEndsTheClientsLinkAtOnceAndTellsTheServerNothing() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.net(.down)
        #expect(stage.seen("phone").contains("linkClosed networkDown"))
        stage.pass(.seconds(60))
        #expect(!stage.seen("server").contains("linkClosed"))
        // Its own time limit, counted from the last byte (C-12).
        stage.pass(.seconds(60))
        #expect(stage.state == .reconnecting)
        #expect(try stage.devices("alice").contains("presence=away"))
    }

    @Test func halfOpenIsNoticedByTheHeartbeatOnBothSides() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.net(.halfOpen)
        stage.pass(.seconds(29))
        #expect(stage.state == .online)
        // A beat after 30 s, unanswered for 10 s.
        stage.pass(.seconds(13))
        #expect(stage.state == .reconnecting)
        stage.pass(.seconds(60))
        #expect(try stage.devices("alice").contains("presence=away"))
        stage.net(.up)
        stage.pass(.seconds(30))
        #expect(stage.state == .online)
    }

    @Test func resetIsSeenByBothEnds() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.pass(.seconds(5))
        stage.net(.reset)
        #expect(stage.seen("phone").contains("linkClosed reset"))
        #expect(stage.seen("server").contains("linkClosed reset"))
        stage.pass(.seconds(1))
        #expect(stage.state == .online)
    }

    @Test func aFrameThatIsTooLargeEndsTheLinkAsOnSockets() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.pass(.seconds(5))
        let text = String(repeating: "x", count: ProtocolLimit.frameBytesMax)
        let large = Frame(.message(ChatMessage(id: "m", to: "alice", text: text)))
        let link = try #require(stage.world.fabric.links.last)
        stage.world.fabric.send(large, over: link.connection, from: try stage.node("phone"), cause: .none)
        stage.pass(.milliseconds(100))
        #expect(stage.seen("server") == "linkClosed reset")
        #expect(stage.seen("phone").contains("linkClosed closedByPeer"))
        stage.pass(.seconds(5))
        #expect(stage.state == .online)
        let next = try #require(stage.world.fabric.links.last?.serverConnection)
        stage.world.fabric.send(large, over: next, from: try #require(stage.core.serverID), cause: .none)
        stage.pass(.milliseconds(100))
        #expect(stage.seen("server") == "linkClosed reset; linkClosed closedByPeer")
    }

    @Test func switchingTheNetworkConnectsAnewAtOnce() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.pass(.seconds(5))
        stage.net(.switchNetwork)
        stage.pass(.milliseconds(200))
        #expect(stage.state == .online)
        #expect(stage.seen("phone").contains("loginStep networkChanged"))
    }

    @Test func aServerThatIsDownRefusesAndKeepsItsAccounts() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        stage.pass(.seconds(5))
        try stage.server(.down)
        stage.pass(.seconds(1))
        #expect(stage.seen("phone").contains("linkFailed refused"))
        try stage.server(.up)
        stage.pass(.seconds(70))
        #expect(stage.state == .online)
        #expect(try stage.devices("alice").contains("epoch=1"))
    }

    @Test func aSleepingDeviceLearnsFirstHowLongItSlept() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        try stage.app(.sleep(.seconds(300)))
        stage.pass(.seconds(299))
        #expect(stage.state == .online)
        stage.pass(.seconds(60))
        // The server had given it up meanwhile; nothing was lost but time.
        #expect(stage.state == .online)
        let story = stage.seen("phone")
        let woke = story.range(of: "woke")
        let closed = story.range(of: "linkClosed")
        #expect(
            woke != nil && closed != nil
                && (woke?.lowerBound ?? story.endIndex) < (closed?.lowerBound ?? story.startIndex))
    }

    @Test func anAppThatWasKilledFindsItsLogin() throws {
        let stage = try Stage("nim")
        try stage.logIn("alice")
        try stage.app(.kill)
        #expect(throws: WorldError.self) { try stage.ask(.query(.state)) }
        try stage.app(.start)
        #expect(stage.client?.local.lastUser == "alice")
        #expect(stage.client?.local.autologinAllowed == true)
        #expect(stage.state == .loggedOut)
    }

    @Test func anIdleHourWithThreeClientsIsQuick() throws {
        let stage = try Stage("agora-rtm")
        for name in ["a", "b", "c"] { try stage.add(name) }
        for (index, name) in ["a", "b", "c"].enumerated() {
            try stage.ask(.login(user: "u\(index)", credential: stage.reference("u\(index)"), mode: .manual), of: name)
        }
        stage.pass(.seconds(3600))
        for name in ["a", "b", "c"] { #expect(stage.machine(name)?.state == .online) }
    }
}

/// A simulated world with one client, and words for what happened in it.
final class Stage {
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
            configuration, recording: nil, store: MemoryClientStore(), narrate: { _ in "" })
        try add("phone")
    }

    var core: WorldCore { world.core }

    func add(_ name: String) throws { try core.addClient(name, platform: .ios) }

    func node(_ name: String) throws -> NodeID { try #require(core.node(named: name)) }

    func machine(_ name: String) -> ClientMachine? { core.node(named: name).flatMap { core[$0].client } }

    var client: ClientMachine? { machine("phone") }
    var state: ClientState? { client?.state }

    func reference(_ user: String) -> String { core.desk.reference(for: user) }

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

    /// What happened to a node, in rough words, oldest first.
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
