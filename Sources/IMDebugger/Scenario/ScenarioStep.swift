import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// One action on a world, or the time between two actions.
public struct ScenarioStep: Hashable, Sendable {
    /// The action.
    public enum Action: Hashable, Sendable {
        /// Time passes, and everything due in it happens.
        case wait(Interval)
        /// Adds a client: an app on a device of that platform. A given device has that id, name and number.
        indirect case addClient(Platform, device: Device?)
        /// A login with the token that the world makes for the user, or with a new one that is valid for that long.
        case login(user: String, LoginMode, lifetime: Interval?)
        /// A manual login with an invalid token.
        case loginWrongly(user: String)
        /// A current login gets a new token that is valid for that long; zero for one without an end.
        case renewToken(lifetime: Interval?)
        /// A current login gets an invalid token.
        case renewWrongly
        /// A call with a credential of its own (CHAT-6).
        case accountCall(user: String, AccountCall.Action)
        /// Ends the login on another client's device (NIM-12).
        case kickClient(String)
        /// Any other command of an app to its SDK.
        case command(ClientCommand)
        /// An event of the client's app.
        case app(AppAction)
        /// A change of the client's network.
        case net(NetAction)
        /// Sets the device's wall clock that far ahead of true time; negative values are behind it (C-10).
        case skew(Interval)
        /// A command of the operator to the server.
        case server(ServerCommand)
        /// The operator generates that many messages and conversations for a user without data.
        case populateData(user: String, messages: Int, conversations: Int)
        /// An action on the server's process.
        case serverProcess(WorldCore.ServerAction)
    }

    /// The name of the affected client; the server's name, or empty for a wait.
    public var node: String
    /// The action.
    public var action: Action

    /// An action on a node.
    public init(_ node: String, _ action: Action) {
        self.node = node
        self.action = action
    }

    /// A wait.
    public static func wait(_ interval: Interval) -> ScenarioStep { ScenarioStep("", .wait(interval)) }

    /// A command of the operator to the server.
    public static func server(_ command: ServerCommand) -> ScenarioStep {
        ScenarioStep(WorldCore.serverName, .server(command))
    }

    /// The length of a wait; nil for an action.
    public var waiting: Interval? {
        if case .wait(let interval) = action { interval } else { nil }
    }
}

/// All actions on a world from outside, from its beginning: a test case as a value. Everything else follows from it.
public struct Scenario: Hashable, Sendable {
    /// The system, such as `nim`.
    public var profile: String
    /// The seed of every random decision in machines and connections.
    public var seed: UInt64
    /// The order of events that are due at the same time.
    public var order: DueOrder
    /// The actions, in order.
    public var steps: [ScenarioStep]

    /// A scenario of a system.
    public init(profile: String, seed: UInt64, order: DueOrder = .fixed, steps: [ScenarioStep]) {
        self.profile = profile
        self.seed = seed
        self.order = order
        self.steps = steps
    }

    /// The names of users in generated scenarios.
    package static let people = ["alice", "bob", "carol"]

    /// The world of the scenario.
    ///
    /// - Throws: ``WorldError`` for an unknown system.
    package func configuration() throws -> WorldConfiguration {
        guard let dialect = Dialects.named(profile) else { throw WorldError("there is no system '\(profile)'") }
        return WorldConfiguration(dialect, seed: seed, order: order)
    }

    /// The total of its waits, without the time that its end takes.
    public var duration: Interval { steps.reduce(.zero) { $0 + ($1.waiting ?? .zero) } }

    /// True if an operator generates data in it, which depends on the names of users.
    public var hasGeneratedData: Bool { steps.contains { if case .populateData = $0.action { true } else { false } } }

    /// The number of actions, without the waits.
    public var commandCount: Int { steps.count { $0.waiting == nil } }

    /// The clients in it, in the order of their creation.
    public var clients: [String] {
        steps.compactMap { if case .addClient = $0.action { $0.node } else { nil } }
    }
}
