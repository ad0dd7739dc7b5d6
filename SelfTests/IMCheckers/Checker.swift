import IMClient
import IMLocalData
import IMServer
import IMSession
import SansIO

/// Checks rules against the events of one world. A checker is a value, so a copy of a world has independent checkers.
/// ``CheckerRegistry`` lists all checkers.
protocol Checker {
    /// - Parameter trace: the state of the client that the event belongs to.
    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation])
    /// - Parameter trace: the state of the server, which the event belongs to.
    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation])
    /// Restarts the checker with a policy that the operator sets before any other event of the world.
    mutating func begin(with policy: ServerPolicy)
    /// Compares a client with the server when nothing is in flight between them.
    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation]
    /// Checks the whole world, after each client has been compared with the server.
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation]
}

extension Checker {
    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {}
    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {}
    mutating func begin(with policy: ServerPolicy) {}
    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        []
    }
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation] { [] }
}

/// A client that has been stable for long enough to compare it with the server.
struct IdleClient {
    var name: String
    var trace: ClientTrace
    var serverTrace: ServerTrace
    var now: Instant
    var stableFor: Interval
    /// After this time without a fault, every client is online or in a final state, and no dead connection is left.
    var recoveryLimit: Interval
    /// The local data of the client's user; nil while it is not open.
    var database: () -> UserDatabase?
    /// True if no other process uses the same device.
    var isAlone: Bool
    /// True if this client and all others are stable.
    var areAllStable: Bool

    /// True if the client had enough time to be online or in a final state. A client in another state is stuck.
    var hasRecovered: Bool { stableFor >= recoveryLimit }
    /// True if no request or message can still wait for an answer. A lost request ends only at its time limit.
    func isAnswered(_ policy: ClientPolicy) -> Bool {
        stableFor >= max(policy.requestTimeLimit, policy.messageTimeLimit) + .seconds(1)
    }
}

/// The state of a world at quiescence, after its stable clients have been compared with the server.
struct IdleWorld {
    /// The stable clients that are online according to the client and to the server.
    var online: [(name: String, user: String, device: String, channels: [String])] = []
    /// How long the world has been stable after the recovery time limit; nil if a part of the world is not stable.
    var stableFor: Interval?
    var trace: ServerTrace
}
