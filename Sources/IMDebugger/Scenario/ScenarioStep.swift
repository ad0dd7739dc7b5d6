import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// One action on a world, or a wait between two actions of a scenario.
public struct ScenarioStep: Hashable, Sendable {
    /// The action.
    public enum Action: Hashable, Sendable {
        /// Time passes. Everything that is due in this time happens.
        case wait(Interval)
        /// Adds a client: an app on a device of the platform. If `device` is nil, the world chooses the device's id and
        /// name.
        indirect case addClient(Platform, device: Device?)
        /// A login with the token that the world makes for the user. If `lifetime` is given, the token is new and
        /// expires after this time.
        case login(user: String, LoginMode, lifetime: Interval?)
        /// A manual login with an invalid token.
        case loginWrongly(user: String)
        /// Replaces the token of the current login by a new one that expires after `lifetime`. The token does not
        /// expire if `lifetime` is zero. It has the default lifetime if `lifetime` is nil.
        case renewToken(lifetime: Interval?)
        /// Replaces the token of the current login by an invalid one.
        case renewWrongly
        /// A call that needs no login, because it contains a credential (CHAT-6).
        case accountCall(user: String, AccountCall.Action)
        /// The client kicks the device of another client (NIM-12).
        case kickClient(String)
        /// Any other command of an app to its SDK.
        case command(ClientCommand)
        /// An event of the client's app or device, such as sleep.
        case app(AppAction)
        /// A change of the client's network.
        case net(NetAction)
        /// Sets the difference between the device's wall clock and the true time. The device's clock is late if the
        /// value is negative. Deadlines must not depend on it (C-10).
        case skew(Interval)
        /// A command of the operator to the server, such as a ban.
        case server(ServerCommand)
        /// The operator generates messages and conversations for a user without data.
        case populateData(user: String, messages: Int, conversations: Int)
        /// An action on the server's process.
        case serverProcess(WorldCore.ServerAction)
    }

    /// The name of the client on which the step acts, or the server's name. Empty for a wait.
    public var node: String
    /// The action.
    public var action: Action

    /// Creates an action on a node.
    public init(_ node: String, _ action: Action) {
        self.node = node
        self.action = action
    }

    /// Creates a wait.
    public static func wait(_ interval: Interval) -> ScenarioStep { ScenarioStep("", .wait(interval)) }

    /// Creates a command of the operator to the server.
    public static func server(_ command: ServerCommand) -> ScenarioStep {
        ScenarioStep(WorldCore.serverName, .server(command))
    }

    /// The length of a wait; nil for an action.
    public var waiting: Interval? {
        if case .wait(let interval) = action { interval } else { nil }
    }
}

/// All commands, faults and waits of a world, from its beginning. They and the seed determine everything that happens
/// in the world.
public struct Scenario: Hashable, Sendable {
    /// The system, such as `nim`.
    public var profile: String
    /// The seed of all random decisions in machines and connections.
    public var seed: UInt64
    /// The order of events that are due at the same time.
    public var order: DueOrder
    /// The actions, in order.
    public var steps: [ScenarioStep]

    /// Creates a scenario for a system.
    public init(profile: String, seed: UInt64, order: DueOrder = .fixed, steps: [ScenarioStep]) {
        self.profile = profile
        self.seed = seed
        self.order = order
        self.steps = steps
    }

    /// The names of users in generated scenarios.
    package static let people = ["alice", "bob", "carol"]

    /// The configuration of a world in which the scenario can run.
    ///
    /// - Throws: ``WorldError`` for an unknown system.
    package func configuration() throws -> WorldConfiguration {
        guard let dialect = Dialects.named(profile) else { throw WorldError("there is no system '\(profile)'") }
        return WorldConfiguration(dialect, seed: seed, order: order)
    }

    /// The sum of the waits. The shutdown of the world can take additional time.
    public var duration: Interval { steps.reduce(.zero) { $0 + ($1.waiting ?? .zero) } }

    /// True if the scenario has a `populateData` step. The generated data depends on the names of the users.
    public var hasGeneratedData: Bool { steps.contains { if case .populateData = $0.action { true } else { false } } }

    /// The number of actions, without the waits.
    public var commandCount: Int { steps.count { $0.waiting == nil } }

    /// The names of the clients, in the order in which the steps add them.
    public var clients: [String] {
        steps.compactMap { if case .addClient = $0.action { $0.node } else { nil } }
    }
}
