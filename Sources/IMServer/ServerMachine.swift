import IMProtocol
import OrderedCollections
import SansIO

/// The service that clients log in to, as a value.
///
/// ```
///   connection:  fresh ── login ok ──▶ loggedIn ── displaced, kicked, logged out ──▶ ended ── confirmed or overdue ──▶ (closed)
///   login of a device:  none ── login ──▶ connected ◀── resume ── away ── logout, kick ──▶ none
/// ```
///
/// Rules for peers: a frame before the login, a second one, or one out of turn is answered with a goodbye and a close,
/// and no other client notices. A kick names a login by its epoch and goes to the connection that carries it, never to
/// "the user" (C-8). Until the device confirms it, the kick is sent again at its next contact, before anything else
/// (C-7). A resume continues exactly the login it names and never outranks a later one (C-6).
public struct ServerMachine: Machine, Codable {
    /// The current policy; ``ServerCommand/setPolicy(key:value:)`` changes it.
    public internal(set) var policy: ServerPolicy
    var accounts = AccountTable()
    /// The rest of each removed account, by user, the oldest removal first, for notifying its devices (C-7).
    var removedUsers: OrderedDictionary<String, RemovedAccount> = [:]
    /// The login request times of each device; they do not outlive the process (NIM-8).
    var loginPaces: OrderedDictionary<LoginPaceKey, LoginPace> = [:]
    var connections = ConnectionTable()
    var channels = NameTable<Channel>()
    /// Bytes of messages that all channels together keep for members who are away (RTM-8).
    var channelReplayBytes = 0
    /// The connections that watch each user's presence, in order of their numbers.
    var watchers = NameTable<[ConnectionID]>()
    var tree = ServerTree()
    var groups = GroupTable()
    /// Numbers of messages; they increase in every conversation.
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

    /// The time of the next timer; nil if none is set.
    public var nextDeadline: Instant? { timers.next }

    /// The host's number of the input that set the next deadline; 0 if unknown.
    package var nextDeadlineSetter: UInt64 { timers.nextSetter }

    /// The host's number of the next input, for the timers that it sets; not part of the state.
    package var inputNumber: UInt64 {
        get { timers.setter }
        set { timers.setter = newValue }
    }

    /// Names of the accounts, in the order of creation.
    public var users: [String] { Array(accounts.keys) }

    /// Handles an input at `now` and appends its effects, in order. No frame makes it trap.
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
            var left = timers.firingCountMax
            while left > 0, let timer = timers.popDue(at: now) {
                fire(timer, at: now, into: &effects)
                left -= 1
            }
            timers.postponeDue(at: now)
        case .command(let id, let command): handle(command, id: id, at: now, into: &effects)
        }
    }

    /// The server as its next process finds it. Accounts, devices, undelivered kicks and stored messages remain;
    /// connections and timers do not. Channels keep the members who count as online for a while
    /// (``holdPresence(at:)``). The tree remains as the end of every connection left it (SYNC-6).
    public func withoutConnections(at now: Instant) -> ServerMachine {
        var kept = ServerMachine(policy: policy, epochMilliseconds: epochMilliseconds)
        for user in accounts.keys {
            kept.accounts[user] = accounts[user].map {
                kept.atStart($0.withoutConnections(holds: holdsPresence), at: now)
            }
        }
        kept.restoreChannels()
        kept.removedUsers = removedUsers
        kept.tree = tree.withoutConnections(at: Double(wallClock(at: now)))
        kept.groups = groups
        kept.messageNumbering = messageNumbering
        kept.messageTimes = messageTimes
        return kept
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

    /// The other end has closed the connection, or the connection has broken. If only silence reveals that a client is
    /// gone, a broken connection counts as silent from now on (SYNC-9).
    private mutating func connectionClosed(
        _ id: ConnectionID, isBroken: Bool, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard isBroken, policy.breakWaitsForSilence, let connection = connections[id], connection.user != nil else {
            return connectionEnded(id, brokenAt: now, at: now, into: &effects)
        }
        connections[id]?.isBroken = true
        connections[id]?.watching = []
        forgetWatcher(id, watching: connection.watching)
        tree.forgetListens(of: id)
    }

    private mutating func fire(_ timer: ServerTimer, at now: Instant, into effects: inout [ServerEffect]) {
        switch timer {
        case .silence(let id):
            guard let connection = connections[id] else { return }
            let deadAt = connection.lastReceived + policy.silenceLimit
            if deadAt > now {
                // A frame arrived meanwhile. Moving the timer with every frame would cost more than this check.
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

    /// Ends a connection whose peer violates the protocol, in order.
    mutating func refuse(
        _ id: ConnectionID, _ reason: GoodbyeReason, detail: String, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let connection = connections[id] else { return }
        if connection.isBroken != true { effects.append(.send(id, Frame(.goodbye(reason, detail: detail)))) }
        effects.append(.close(id))
        connectionEnded(id, brokenAt: now, at: now, into: &effects)
    }

    /// Removes a connection. Its login remains, away, until the device comes back, logs out or is displaced.
    mutating func connectionEnded(
        _ id: ConnectionID, brokenAt: Instant, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        timers.cancel(.silence(id))
        timers.cancel(.overdue(id))
        forgetWatcher(id, watching: connection.watching)
        runDisconnectOperations(of: id, at: now, into: &effects)
        guard case .loggedIn(let user, let device) = connection.stage,
            accounts[user]?.devices[device]?.login?.connection == id
        else { return }
        accounts[user]?.devices[device]?.login?.connection = nil
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.goneSinceMilliseconds = clock
        pushUnconfirmed(by: device, of: user)
        let goneAt = brokenAt + policy.presenceHold
        if goneAt > now {
            timers.set(.presence(user: user, device: device), at: goneAt)
        } else {
            presenceExpired(user: user, device: device, into: &effects)
        }
    }

    /// The time for which a user counted as online after the break is over.
    private mutating func presenceExpired(user: String, device: String, into effects: inout [ServerEffect]) {
        endPresence(of: device, user: user, as: .offline, into: &effects)
        guard policy.offlineFreesPlace else { return }
        timers.cancel(.token(user: user, device: device))
        accounts[user]?.devices[device]?.release()
    }
}
