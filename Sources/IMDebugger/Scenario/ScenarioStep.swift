import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// One thing that somebody does to a world, or the time that passes between two such things.
public struct ScenarioStep: Hashable, Sendable {
    /// What is done.
    public enum Action: Hashable, Sendable {
        /// Time passes; everything that is due in it happens.
        case wait(Interval)
        /// A client is made: an app on a device of that platform. A device that is named has that id, name and number.
        indirect case addClient(Platform, device: Device?)
        /// A login with the token that the world makes for the user, or with a new one that lives so long.
        case login(user: String, LoginMode, lifetime: Interval?)
        /// A login by hand with a token that proves nothing.
        case loginWrongly(user: String)
        /// A login that goes on gets a token made now, that lives so long; zero for one that does not end.
        case renewToken(lifetime: Interval?)
        /// A login that goes on is to get a token that proves nothing.
        case renewWrongly
        /// A call with a credential of its own (CHAT-6).
        case accountCall(user: String, AccountCall.Action)
        /// Ends the login of the device that another client runs on (NIM-12).
        case kickClient(String)
        /// Anything else that an app asks of its SDK.
        case command(ClientCommand)
        /// Something happens to the client's app.
        case app(AppAction)
        /// Something happens to the client's network.
        case net(NetAction)
        /// The device's wall clock is set so far ahead of true time, or behind it (C-10).
        case skew(Interval)
        /// The operator asks the server for something.
        case server(ServerCommand)
        /// The operator makes up data of so many messages and conversations for a user who has none.
        case populateData(user: String, messages: Int, conversations: Int)
        /// Something happens to the server's process.
        case serverProcess(WorldCore.ServerAction)
    }

    /// The name of the client that it is done to; the server's name, or empty for a wait.
    public var node: String
    /// What is done.
    public var action: Action

    /// Something that is done to a node.
    public init(_ node: String, _ action: Action) {
        self.node = node
        self.action = action
    }

    /// Time that passes.
    public static func wait(_ interval: Interval) -> ScenarioStep { ScenarioStep("", .wait(interval)) }

    /// Something that the operator asks of the server.
    public static func server(_ command: ServerCommand) -> ScenarioStep {
        ScenarioStep(WorldCore.serverName, .server(command))
    }

    /// How long it lets time pass; nil for what is done.
    public var waiting: Interval? {
        if case .wait(let interval) = action { interval } else { nil }
    }
}

/// What happens to a world from outside, from its beginning on: a test case as a value. Everything else follows from it.
public struct Scenario: Hashable, Sendable {
    /// The system, such as `nim`.
    public var profile: String
    /// Decides every draw of chance in machines and links.
    public var seed: UInt64
    /// In which order things happen that are due at the same moment.
    public var order: DueOrder
    /// What is done, in order.
    public var steps: [ScenarioStep]

    /// A scenario of a system.
    public init(profile: String, seed: UInt64, order: DueOrder = .fixed, steps: [ScenarioStep]) {
        self.profile = profile
        self.seed = seed
        self.order = order
        self.steps = steps
    }

    /// The names of users in scenarios that nobody wrote by hand.
    package static let people = ["alice", "bob", "carol"]

    /// The world that it is played in.
    ///
    /// - Throws: ``WorldError`` for a system that there is not.
    package func configuration() throws -> WorldConfiguration {
        guard let dialect = Dialects.named(profile) else { throw WorldError("there is no system '\(profile)'") }
        return WorldConfiguration(dialect, seed: seed, order: order)
    }

    /// How much time it takes, beside what the end of it takes.
    public var duration: Interval { steps.reduce(.zero) { $0 + ($1.waiting ?? .zero) } }

    /// Whether an operator makes up data in it, which hangs on the names of users.
    public var hasMadeUpData: Bool { steps.contains { if case .populateData = $0.action { true } else { false } } }

    /// How many things are done in it, without the waits.
    public var commandCount: Int { steps.count { $0.waiting == nil } }

    /// The clients in it, in the order in which they are made.
    public var clients: [String] {
        steps.compactMap { if case .addClient = $0.action { $0.node } else { nil } }
    }
}
