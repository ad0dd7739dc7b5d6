import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import TestSupport
import Testing

@testable import IMSimulation

/// A copy of a running world continues like the original. Copy and original do not affect each other.
@Suite struct WorldCopyTests {
    private struct World {
        let world: SimulatedWorld
        let phone: NodeID
        let pad: NodeID

        init(_ profile: String) throws {
            let dialect = try #require(Dialects.named(profile))
            world = try SimulatedWorld(WorldConfiguration(dialect, seed: 11))
            phone = try world.core.addClient("phone", platform: .ios)
            pad = try world.core.addClient("pad", platform: .web)
        }

        /// In Wilddog there is no login, so the first request connects.
        func logIn(_ user: String, _ client: NodeID) throws {
            guard world.core.configuration.profile != "wilddog" else {
                try world.core.command(.tree(.listen(path: "users")), client: client)
                try world.core.command(.tree(.set(path: "users/\(user)", .text("here"))), client: client)
                return
            }
            let credential = world.core.vault.reference(for: user)
            try world.core.command(.login(user: user, credential: credential, mode: .manual), client: client)
        }
    }

    /// Runs the world for this interval, and returns its events as texts.
    private func runWorld(_ world: SimulatedWorld, _ interval: Interval) -> [String] {
        let begin = world.core.eventsSeen
        _ = world.run(until: world.core.now + interval) { _ in false }
        return world.core.events(from: begin).map { "\($0.time.nanoseconds) \($0.node) \($0.content)" }
    }

    @Test(arguments: ["nim", "zim", "agora-chat", "agora-rtm", "wilddog"])
    func `a copy continues like the original`(profile: String) throws {
        let world = try World(profile)
        world.world.core.net(.delay(.milliseconds(80), jitter: .milliseconds(40)), client: world.phone)
        world.world.core.net(.loss(100_000), client: world.phone)
        try world.logIn("alice", world.phone)
        try world.logIn("bob", world.pad)
        // The copies are made while frames are in flight, an attempt is running, or a device sleeps.
        var copies: [SimulatedWorld] = []
        var seen = 0
        for moment in 0..<40 {
            _ = world.world.run(until: world.world.core.now + .milliseconds(moment < 20 ? 15 : 4_000)) { _ in false }
            copies.append(try world.world.copy())
            if moment == 25 { try world.world.core.app(.sleep(.seconds(20)), client: world.phone) }
            if moment == 32 { world.world.core.net(.halfOpen, client: world.phone) }
            let next = copies[moment]
            let (mine, theirs) = (runWorld(try next.copy(), .seconds(200)), runWorld(next, .seconds(200)))
            #expect(mine == theirs)
            seen += mine.count
        }
        let last = try world.world.copy()
        // A new device and its login get equal random numbers in both worlds.
        for core in [last.core, world.world.core] {
            let web = try core.addClient("web", platform: .web)
            let credential = core.vault.keep("nobody's")
            try core.command(.login(user: "alice", credential: credential, mode: .manual), client: web)
        }
        #expect(runWorld(last, .seconds(600)) == runWorld(world.world, .seconds(600)))
        #expect(seen > 100)
    }

    @Test func `copy and original do not affect each other`() throws {
        let world = try World("nim")
        try world.logIn("alice", world.phone)
        _ = runWorld(world.world, .seconds(5))
        let copy = try world.world.copy()
        // In the copy, the login, the server and the tokens are ended.
        _ = try copy.core.command(ServerCommand.kick(user: "alice", device: nil))
        _ = runWorld(copy, .seconds(1))
        try copy.core.server(.down)
        copy.core.vault.revokeTokens(of: "alice", wallMilliseconds: copy.core.wallMilliseconds)
        copy.core.net(.down, client: world.pad)
        _ = runWorld(copy, .seconds(60))
        #expect(copy.core[world.phone].client?.state == .kicked)
        let untouched = try World("nim")
        try untouched.logIn("alice", untouched.phone)
        _ = runWorld(untouched.world, .seconds(5))
        #expect(runWorld(world.world, .seconds(300)) == runWorld(untouched.world, .seconds(300)))
        #expect(world.world.core[world.phone].client?.state == .online)
        #expect(world.world.core.vault.reference(for: "alice") == "token-of-alice")
        #expect(world.world.core.vault.reference(for: "alice") != copy.core.vault.reference(for: "alice"))
    }

    @Test func `data that is stored elsewhere is not copied`() throws {
        final class Elsewhere: ClientStore {
            func installation(profile: String, client: String, proposed: String) -> String { proposed }
            func load(profile: String, client: String) -> LocalData { LocalData() }
            func save(_ data: LocalData, profile: String, client: String) {}
            func keep(_ items: [LocalItem], profile: String, client: String) {}
            func data(of user: String, profile: String, client: String) -> any UserDataStore {
                MemoryUserData(UserDatabase(owner: user))
            }
            func tree(profile: String, client: String) throws -> any TreeStore { throw WorldError("there is none") }
            func writeExport(_ messages: [LocalMessage], of user: String, to folder: String) {}
            func readExport(_ folder: String, for user: String) -> [LocalMessage] { [] }
            func closeData(profile: String, client: String) {}
        }
        let dialect = try #require(Dialects.named("nim"))
        let world = try SimulatedWorld(WorldConfiguration(dialect), store: Elsewhere())
        #expect(throws: WorldError.self) { try world.copy() }
    }
}
