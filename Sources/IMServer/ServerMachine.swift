import IMProtocol
import OrderedCollections
import SansIO

/// The server that clients log in to, as a value.
///
/// ```
///   connection:  fresh ── login ok ──▶ loggedIn ── displaced, kicked, logged out ──▶ ended ── confirmed or overdue ──▶ (closed)
///   login of a device:  none ── login ──▶ connected ◀── resume ── away ── logout, kick ──▶ none
/// ```
///
/// Rules for clients: the server answers a frame before the login, a second login, and a frame that is not allowed at
/// the time with a goodbye, and closes the connection. Other clients are not affected. A kick contains the epoch of the
/// ended login and is sent over the connection of that login, never to all of the user's connections (C-8). Until the
/// device confirms the kick, the server sends it again when the device connects, before any other frame (C-7). A resume
/// continues exactly the login that it names, and never replaces a later one (C-6).
public struct ServerMachine: Machine, Codable {
    /// The current policy; ``ServerCommand/setPolicy(key:value:)`` changes it.
    public internal(set) var policy: ServerPolicy
    var accounts = AccountTable()
    /// The data of each removed account that is needed to notify its devices (C-7), by user, the oldest removal first.
    var removedUsers: OrderedDictionary<String, RemovedAccount> = [:]
    /// The times of recent login requests (NIM-8). They are not stored on disk.
    var loginPaces: OrderedDictionary<LoginPaceKey, LoginPace> = [:]
    var connections = ConnectionTable()
    var channels = NameTable<Channel>()
    /// The size of the texts, in bytes, that all channels together store for the replay (RTM-8).
    var channelReplayBytes = 0
    /// The connections that watch a user's presence, by user, in the order of their ids.
    var watchers = NameTable<[ConnectionID]>()
    var tree = ServerTree()
    var groups = GroupTable()
    /// The numbers of messages in users' data. They increase across all conversations.
    var messageNumbering = Numbering()
    var messageTimes = MessageTimes()
    var timers = Deadlines<ServerTimer>()
    /// The wall clock at instant zero, milliseconds since 1970.
    let epochMilliseconds: Int64

    /// - Parameters:
    ///   - policy: the policy of this service.
    ///   - epochMilliseconds: the wall clock at the start of the session, milliseconds since 1970.
    public init(policy: ServerPolicy, epochMilliseconds: Int64) {
        self.policy = policy
        self.epochMilliseconds = epochMilliseconds
    }

    /// The instant of the next timer; nil if no timer is set.
    public var nextDeadline: Instant? { timers.next }

    /// The number that the host gave the input that set the next deadline; 0 if there is none.
    package var nextDeadlineSetter: UInt64 { timers.nextSetter }

    /// The number of the next input. The host sets it, and each new timer stores it. It is not part of the state.
    package var inputNumber: UInt64 {
        get { timers.setter }
        set { timers.setter = newValue }
    }

    /// The names of all accounts, in the order of creation.
    public var users: [String] { Array(accounts.keys) }

    /// Handles an input at an instant, and appends its effects in order. No frame can make the server trap.
    public mutating func handle(_ input: ServerInput, at now: Instant, into effects: inout [ServerEffect]) {
        accounts.clearTouched()
        let first = effects.count
        defer { addChecksums(&effects, from: first) }
        switch input {
        case .connectionOpened(let id): connectionOpened(id, at: now, into: &effects)
        case .connectionClosed(let id, let isBroken):
            connectionClosed(id, isBroken: isBroken, at: now, into: &effects)
        case .frameReceived(let id, let frame): receive(frame, on: id, at: now, into: &effects)
        case .frameUnreadable(let id, let error):
            refuse(id, .malformedFrame, detail: error.explanation, at: now, into: &effects)
        case .deadlineReached:
            var remaining = timers.firingCountMax
            while remaining > 0, let timer = timers.popDue(at: now) {
                fire(timer, at: now, into: &effects)
                remaining -= 1
            }
            timers.postponeDue(at: now)
        case .command(let id, let command): handle(command, id: id, at: now, into: &effects)
        }
    }

    /// The server after a restart at an instant. Accounts, devices, undelivered kicks and stored messages remain.
    /// Connections and timers end. With a presence hold, channels keep their members (``holdPresence(at:)``). The
    /// onDisconnect operations of all connections have run (SYNC-6).
    public func withoutConnections(at now: Instant) -> ServerMachine {
        var next = ServerMachine(policy: policy, epochMilliseconds: epochMilliseconds)
        for user in accounts.keys {
            next.accounts[user] = accounts[user].map {
                next.atStart($0.withoutConnections(holds: holdsPresence), at: now)
            }
        }
        next.restoreChannels()
        next.removedUsers = removedUsers
        next.tree = tree.withoutConnections(at: Double(wallClock(at: now)))
        next.groups = groups
        next.messageNumbering = messageNumbering
        next.messageTimes = messageTimes
        return next
    }

    /// The wall clock at an instant, milliseconds since 1970.
    func wallClock(at now: Instant) -> Int64 {
        let (sum, overflow) = epochMilliseconds.addingReportingOverflow(now.nanoseconds / 1_000_000)
        return overflow ? .max : sum
    }

    private mutating func connectionOpened(
        _ id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard connections[id] == nil, connections.count < policy.connectionCountMax else {
            effects.append(.close(id))
            return
        }
        connections[id] = Connection(lastReceived: now)
        timers.set(.overdue(id), at: now + policy.loginOverdueAfter)
        timers.set(.silence(id), at: now + policy.silenceLimit)
    }

    /// Handles the end of a connection. If the policy detects a break only by silence, the server keeps a broken
    /// connection until the silence limit (SYNC-9).
    private mutating func connectionClosed(
        _ id: ConnectionID, isBroken: Bool, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard isBroken, policy.breakWaitsForSilence, let connection = connections[id], connection.user != nil else {
            return connectionEnded(id, brokenAt: now, at: now, into: &effects)
        }
        connections[id]?.isBroken = true
        connections[id]?.watching = []
        removeWatcher(id, watching: connection.watching)
        tree.removeListens(of: id)
    }

    private mutating func fire(_ timer: ServerTimer, at now: Instant, into effects: inout [ServerEffect]) {
        switch timer {
        case .silence(let id):
            guard let connection = connections[id] else { return }
            let deadAt = connection.lastReceived + policy.silenceLimit
            if deadAt > now {
                // A frame arrived after the timer was set. Moving the timer at each frame would cost more.
                timers.set(.silence(id), at: deadAt)
            } else {
                effects.append(.close(id))
                let brokenAt = connection.lastReceived + policy.heartbeatInterval
                connectionEnded(id, brokenAt: min(brokenAt, now), at: now, into: &effects)
            }
        case .overdue(let id):
            guard let connection = connections[id] else { return }
            switch connection.stage {
            case .fresh: refuse(id, .loginOverdue, detail: "", at: now, into: &effects)
            case .ended:
                effects.append(.close(id))
                connectionEnded(id, brokenAt: now, at: now, into: &effects)
            case .loggedIn: break
            }
        case .presence(let user, let device):
            presenceExpired(user: user, device: device, into: &effects)
        case .token(let user, let device): tokenExpired(user: user, device: device, at: now, into: &effects)
        case .push(let user, let device): pushUnconfirmed(by: device, of: user)
        }
    }

    /// Sends a goodbye with a reason, and closes the connection.
    mutating func refuse(
        _ id: ConnectionID, _ reason: GoodbyeReason, detail: String, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let connection = connections[id] else { return }
        if connection.isBroken != true { effects.append(.send(id, Frame(.goodbye(reason, detail: detail)))) }
        effects.append(.close(id))
        connectionEnded(id, brokenAt: now, at: now, into: &effects)
    }

    /// Removes a connection. Its login remains until the device reconnects, logs out or is displaced.
    mutating func connectionEnded(
        _ id: ConnectionID, brokenAt: Instant, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        timers.cancel(.silence(id))
        timers.cancel(.overdue(id))
        removeWatcher(id, watching: connection.watching)
        runDisconnectOperations(of: id, at: now, into: &effects)
        guard case .loggedIn(let user, let device) = connection.stage,
            accounts[user]?.devices[device]?.login?.connection == id
        else { return }
        accounts[user]?.devices[device]?.login?.connection = nil
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.goneSinceMilliseconds = clock
        pushUnconfirmed(by: device, of: user)
        let offlineAt = brokenAt + policy.presenceHold
        if offlineAt > now {
            timers.set(.presence(user: user, device: device), at: offlineAt)
        } else {
            presenceExpired(user: user, device: device, into: &effects)
        }
    }

    /// Makes a user's device offline, because its presence hold is over.
    private mutating func presenceExpired(user: String, device: String, into effects: inout [ServerEffect]) {
        endPresence(of: device, user: user, as: .offline, into: &effects)
        guard policy.offlineFreesPlace else { return }
        timers.cancel(.token(user: user, device: device))
        accounts[user]?.devices[device]?.release()
    }
}
