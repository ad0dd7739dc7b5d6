import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// One client or the server of a world.
public struct Node {
    /// A sleeping device: its process reads nothing and its timers do not run.
    struct Frozen {
        var since: Instant
        var until: Instant
        /// The inputs that the operating system queues during the sleep.
        var inputs: [(input: NodeInput, cause: EventID)] = []
        /// The event that put the device to sleep.
        var cause = EventID.none
    }

    /// The name, which no other node of the world has, not even after the client was closed. That of the server is
    /// ``WorldCore/serverName``.
    public let name: String
    /// True if the node is the server. A world has at most one server.
    public let isServer: Bool
    /// The profile that its machine was last started with.
    public internal(set) var profile: String
    /// The client's device, which remains after the end of the process; nil for the server.
    public internal(set) var device: Device?
    /// The policy of the client's SDK; nil for the server.
    public internal(set) var clientPolicy: ClientPolicy?
    /// The state machine; nil while the process does not run.
    public internal(set) var machine: NodeMachine?
    /// True if the client was removed from the world, for good.
    public internal(set) var isClosed = false
    var frozen: Frozen?
    /// How far the device's wall clock is ahead of true time.
    var clockSkew = Interval.zero
    /// The id of the first connection of the client's next process.
    var nextConnection = ConnectionID(1)
    /// The user whose local data the client has open; nil for none.
    var dataOwner: String?
    /// True if the client has the tree data of its device open.
    var hasTreeOpen = false
    /// The state from which a stopped server restarts.
    var stoppedServer: ServerMachine?

    init(name: String, isServer: Bool, profile: String, device: Device?) {
        self.name = name
        self.isServer = isServer
        self.profile = profile
        self.device = device
    }

    /// The client machine; nil for a server and for an app that does not run.
    public var client: ClientMachine? { machine?.client }

    /// True if its device sleeps: inputs wait, and no timer runs.
    public var isAsleep: Bool { frozen != nil }
}
