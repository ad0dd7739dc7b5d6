import IMClient
import IMProfiles
import IMProtocol
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// Simultaneous events can have an order that depends on the seed. Nothing else depends on this order.
@Suite struct DueOrderTests {
    private let names = ["phone", "pad", "laptop", "tv"]

    /// A world in which four clients with different users log in at the same instant.
    private func world(seed: UInt64, _ order: DueOrder) throws -> SimulatedWorld {
        let dialect = try #require(Dialects.named("nim"))
        let world = try SimulatedWorld(WorldConfiguration(dialect, seed: seed, order: order))
        for name in names {
            let client = try world.core.addClient(name, platform: .ios)
            let credential = world.core.vault.reference(for: name)
            try world.core.command(.login(user: name, credential: credential, mode: .manual), client: client)
        }
        return world
    }

    private func events(_ world: SimulatedWorld, for interval: Interval = .seconds(3)) -> [String] {
        _ = world.run(until: world.core.now + interval) { _ in false }
        return world.core.events(from: 0).map { "\($0.time.nanoseconds) \($0.node) \($0.content)" }
    }

    /// The clients in the order in which their login requests reached the server.
    private func arrivals(_ seed: UInt64, _ order: DueOrder) throws -> [String] {
        let world = try world(seed: seed, order)
        _ = world.run(until: world.core.now + .seconds(3)) { _ in false }
        return world.core.events(from: 0).compactMap { event in
            guard case .input(.frame(_, let frame)) = event.content, case .login(let login) = frame.body else {
                return nil
            }
            return login.user
        }
    }

    @Test func theSeedDecides() throws {
        let drawn = try (1...20).map { try arrivals($0, .drawn) }
        #expect(drawn.allSatisfy { $0.sorted() == names.sorted() })
        #expect(Set(drawn).count > 5)
        #expect(try (1...20).allSatisfy { try arrivals($0, .fixed) == names })
        #expect(try events(world(seed: 5, .drawn)) == events(world(seed: 5, .drawn)))
    }

    /// The order of the clients varies, but each client's frames arrive in the order in which they were sent.
    @Test func oneDirectionOfALinkKeepsItsOrder() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let world = try world(seed: seed, .drawn)
            _ = world.run(until: .zero + .seconds(3)) { _ in false }
            for name in names {
                let sent = world.core.events(from: 0).compactMap { event -> Frame? in
                    if event.node == name, case .effect(.send(_, let frame)) = event.content { frame } else { nil }
                }
                let requests = sent.filter { $0.body.credential == nil }.map(\.body.name)
                #expect(requests == ["sync", "fetch-changes"], "seed \(seed)")
                let states = world.core.events(from: 0).compactMap { event -> ClientState? in
                    guard event.node == name, case .effect(.transition(let change)) = event.content else { return nil }
                    return change.to
                }
                #expect(states == [.connecting, .syncing, .online], "seed \(seed)")
            }
        }
    }

    @Test func aCopyHasTheSameOrder() throws {
        let world = try world(seed: 9, .drawn)
        for moment in 0..<12 {
            _ = world.run(until: .zero + .milliseconds(5 * Int64(moment))) { _ in false }
            let (one, two) = (try world.copy(), try world.copy())
            #expect(events(one) == events(two))
        }
    }

    /// The header contains the order, so a continued recording uses the same order.
    @Test func aRecordingContainsIt() throws {
        for order in DueOrder.allCases {
            let header = SessionHeader(
                title: "", profile: "nim", application: "", os: "virtual",
                parameters: [("world", "simulated"), ("seed", "3"), ("order", order.rawValue)])
            #expect(try WorldConfiguration(continuing: header).order == order)
        }
    }
}
