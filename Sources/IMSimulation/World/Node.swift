import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// One client or the server of a world.
public struct Node {
    /// A device that sleeps: its process reads nothing and no timer of it runs.
    struct Frozen {
        var since: Instant
        var until: Instant
        /// What the operating system keeps for it meanwhile.
        var inputs: [(input: NodeInput, cause: EventID)] = []
        /// What put it to sleep.
        var cause = EventID.none
    }

    /// Unique in the world, also after the client was closed; the server's is ``WorldCore/serverName``.
    public let name: String
    /// Whether it is the server; a world has one or none.
    public let isServer: Bool
    /// The profile that its machine was last started with.
    public internal(set) var profile: String
    /// Who the client is; it survives the process.
    public internal(set) var device: Device?
    /// The policy of the client's SDK; nil for the server.
    public internal(set) var clientPolicy: ClientPolicy?
    /// Its program; nil while its process does not run.
    public internal(set) var machine: NodeMachine?
    /// Whether the client was taken out of the world, for good.
    public internal(set) var isClosed = false
    var frozen: Frozen?
    /// How far the device's wall clock is ahead of true time.
    var clockSkew = Interval.zero
    /// The generation of the first link of its next process.
    var nextConnection = ConnectionID(1)
    /// Whose local data its client has open.
    var dataOwner: String?
    /// Whether the client has what its device holds of the tree open.
    var hasTreeOpen = false
    /// What a server that is down will go on with.
    var keptServer: ServerMachine?

    init(name: String, isServer: Bool, profile: String, device: Device?) {
        self.name = name
        self.isServer = isServer
        self.profile = profile
        self.device = device
    }

    /// Its client machine; nil for a server and for an app that does not run.
    public var client: ClientMachine? { machine?.client }

    /// Whether its device sleeps: what comes waits, and no timer runs.
    public var isAsleep: Bool { frozen != nil }
}
