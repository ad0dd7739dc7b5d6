import IMProtocol
import SansIO

/// The SDK's client: one user's login on one device, as a value.
///
/// ```
///                 login, autologin                 linkOpened             login-ack ok
///   loggedOut ───────────────────▶ attempting(linking) ──▶ (authenticating) ──▶ (syncing) ──▶ online
///      ▲  ▲                             │    ▲                 │                    │           │
///      │  │ first manual login failed,  │    │ retry due,      │ failed             │ link      │ link broken
///      │  └─ or a fatal server status ──┤    │ network up      ▼                    ▼           ▼
///      │                                └──▶ waiting ◀──────────┴────────────────────┴── attempting at once
///      │ logout completes                                                             (if it had been stable)
///      └── leaving ◀── logout        kicked ◀── the server's notice, from every attempt and online
///
///   tokenExpired ◀── the token expired, from every login except a leaving one
///   paused ◀── the app calls goOffline, or another process of the device connects, from all phases but leaving
/// ```
///
/// ``Phase/Kind/successors`` contains the arrows of the diagram; no other change of phase is permitted. A phase stores
/// the state that belongs to it, such as its connection. ``ClientTimer/belongs(to:)`` lists the phases of each timer;
/// the timer is cancelled when any other phase starts.
///
/// Rules for the server: `handle` drops each input from an old connection (C-3). A protocol violation ends the
/// connection and counts as a failed attempt. Rules for the app: each command completes once (C-1). Misuse is refused
/// and changes nothing. Rules for the machine: there is at most one connection and one attempt (C-2), because only one
/// phase exists, and a phase has at most one connection. After a logout or a kick, no timer and no request of the old
/// login remains (C-4, C-5).
public struct ClientMachine: Machine {
    /// The device that the client runs on. All processes of the app have the same device.
    public let device: Device
    /// The stored data, which outlives the process.
    public internal(set) var local: LocalData

    /// The current phase with its state. Only ``enterSilently(_:)`` changes to another phase.
    private(set) var phase = Phase.loggedOut(nil)
    var random: SeededRandom
    /// The number of the next connection. It never decreases.
    public internal(set) var nextConnection: ConnectionID
    /// The name of this process, which is a part of each id that the client makes. No other process has the same name
    /// (C-14).
    public let process: String
    /// The number of ids that this process has made.
    var idsMade: UInt64 = 0
    /// The estimated wall clock, for the expiry of tokens.
    var wall = WallClock()
    /// True if the app was notified of the start of the sync in progress (CHAT-12).
    var isSyncAnnounced = false
    /// A number that identifies this process among all processes that ever ran on the device (RTM-6).
    let instance: UInt64
    /// The user's other devices that are online (NIM-13).
    var otherDevices: [Device] = []
    var retryCountMax: Int
    /// The app's own retry delays; empty for the policy's.
    var ownRetryDelays: [Interval] = []
    /// The last reported state of the connection; nil before the first report.
    var linkState: LinkState?

    // The parts of the client, each with its own state. A part does not read the phase. Its methods get the connection
    // as an argument.
    var common: ClientCommon
    var calls = ClientCalls()
    var messages = ClientMessages()
    var subscriptions = Subscriptions()
    var tree = ClientTree()
    var data = ClientData()

    /// A client that is logged out.
    ///
    /// - Parameters:
    ///   - policy: the policy of the SDK.
    ///   - device: the device that the client runs on.
    ///   - local: the data stored by an earlier process of the app.
    ///   - seed: the seed of the client's random numbers.
    ///   - firstConnection: the number of the client's first connection. A new process of an app continues the
    ///     numbers of the earlier process. So a late answer to the earlier process is not mistaken for one to this one.
    ///   - nonce: a number that no other process has; nil to derive one from the seed and the stored data.
    public init(
        policy: ClientPolicy, device: Device, local: LocalData = LocalData(), seed: UInt64,
        firstConnection: ConnectionID = ConnectionID(1), nonce: UInt64? = nil
    ) {
        common = ClientCommon(policy: policy)
        self.device = device
        self.local = local
        random = SeededRandom(seed: seed)
        var processRandom = SeededRandom(seed: seed &+ UInt64(firstConnection.rawValue) << 32 &+ local.lastEpoch)
        process = OwnID.process(device: device.id, nonce: nonce ?? processRandom.next())
        // Drawn from a separate generator, so that it does not change the later draws from `random`. At least 1,
        // because 0 means no instance.
        var instanceRandom = SeededRandom(seed: ~seed)
        instance = max(1, nonce ?? instanceRandom.next())
        nextConnection = firstConnection
        retryCountMax = policy.retryCountMax
    }

    /// The policy of the SDK.
    public var policy: ClientPolicy { common.policy }

    var timers: Deadlines<ClientTimer> {
        get { common.timers }
        _modify { yield &common.timers }
    }

    /// The deadline of the earliest timer; nil if no timer is set.
    public var nextDeadline: Instant? { common.timers.next }

    /// The state as the app sees it. A broken connection may be hidden from the app for a while (RTM-3).
    public var state: ClientState { phase.state }

    /// The user of the current login or login attempt; nil when logged out.
    public var user: String? { login?.user }

    /// The channels that the user has joined, in the order of joining.
    public var joinedChannels: [String] { subscriptions.channels }

    /// True if the user's local data may be read: after the start of an automatic login, or after the success of a
    /// manual one (NIM-2).
    public var isDataOpen: Bool {
        guard let login else { return false }
        return login.isEstablished || login.mode != .manual
            || policy.opensDataAtLogin == true && login.user == local.lastUser
    }

    var login: Login? { phase.login }
    var link: Link? { phase.link }
    var openLink: Link? { phase.openLink }

    /// The host's number of the input that set the earliest timer; 0 if unknown.
    package var nextDeadlineSetter: UInt64 { common.timers.nextSetter }

    /// The host's number of the current input, which each timer that is set stores. Not part of the client's state.
    package var inputNumber: UInt64 {
        get { common.timers.setter }
        set { common.timers.setter = newValue }
    }

    /// Handles an input and appends its effects, in order.
    public mutating func handle(_ input: ClientInput, at now: Instant, into effects: inout [ClientEffect]) {
        // Inputs from old connections are dropped here, and in no other place (C-3).
        if let connection = input.connection, phase.connection != connection { return }
        if case .dataAnswered(let answer) = input, !isCurrent(answer) { return }
        let first = effects.count
        defer {
            refreshData(at: now, into: &effects)
            addChecksums(&effects, from: first)
        }
        switch input {
        case .command(let id, let command): handle(command, id: id, at: now, into: &effects)
        case .linkOpened(let connection): linkOpened(connection, at: now, into: &effects)
        case .linkFailed(_, .refused): linkRefused(at: now, into: &effects)
        case .linkFailed, .linkClosed: linkEnded(.byItself, at: now, into: &effects)
        case .frameReceived(let connection, let frame): receive(frame, on: connection, at: now, into: &effects)
        case .frameUnreadable: endLinkForViolation(at: now, into: &effects)
        case .deadlineReached:
            var left = timers.firingCountMax
            while left > 0, let timer = timers.popDue(at: now) {
                fire(timer, at: now, into: &effects)
                left -= 1
            }
            timers.postponeDue(at: now)
        case .networkChanged(let change): networkChanged(change, at: now, into: &effects)
        case .appChanged(let change): appChanged(change, at: now, into: &effects)
        case .dataAnswered(let answer): dataAnswered(answer, at: now, into: &effects)
        }
    }

    private mutating func handle(
        _ command: ClientCommand, id: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch command {
        case .login(let call): logIn(call, command: id, at: now, into: &effects)
        case .logout(let keepsPush): logOut(keepsPush: keepsPush, command: id, at: now, into: &effects)
        case .renewToken(let credential, let clock):
            renewToken(credential, clock: clock, command: id, at: now, into: &effects)
        case .kick(let target): kick(target, command: id, at: now, into: &effects)
        case .query(let query): effects.append(.complete(id, answer(query, at: now)))
        case .send(let to, let text, let isToChannel):
            send(to: to, text: text, isToChannel: isToChannel, command: id, at: now, into: &effects)
        case .resend: resend(command: id, at: now, into: &effects)
        case .join(let channel):
            subscriptions.join(
                channel, command: id, reach: reach, &calls, &common, at: now, into: &effects)
        case .leave(let channel):
            subscriptions.leave(
                channel, command: id, reach: reach, &calls, &common, at: now, into: &effects)
        case .setOption(let option): effects.append(.complete(id, Completion(set(option))))
        case .setAttributes(let channel, let fields):
            subscriptions.setAttributes(
                fields, channel: channel, command: id, reach: reach, &calls, &common, at: now, into: &effects)
        case .ask(let question): queryServer(question, command: id, at: now, into: &effects)
        case .watch(let user, let isOn):
            subscriptions.watch(
                user, isOn: isOn, command: id, reach: reach, &calls, &common, at: now, into: &effects)
        case .accountCall(let user, let credential, let action):
            startAccountCall(action, user: user, credential: credential, command: id, at: now, into: &effects)
        case .operate(let kind, let target, let ext):
            operate(kind, target: target, ext: ext, command: id, at: now, into: &effects)
        case .tree(let request, let clock):
            handle(request, clock: clock, command: id, at: now, into: &effects)
        case .call(let request): call(request, command: id, at: now, into: &effects)
        case .change(let change): self.change(change, command: id, at: now, into: &effects)
        case .goOffline: goOffline(command: id, into: &effects)
        case .goOnline: goOnline(command: id, at: now, into: &effects)
        }
    }

    private mutating func fire(_ timer: ClientTimer, at now: Instant, into effects: inout [ClientEffect]) {
        switch timer {
        case .attempt: attemptFailed(.timeout, .byUs, at: now, into: &effects)
        case .retry: retryDue(at: now, into: &effects)
        case .heartbeat: heartbeatDue(at: now, into: &effects)
        // A heartbeat has no answer, so the connection is half-open.
        case .heartbeatAnswer: linkEnded(.byUs, at: now, into: &effects)
        case .grace: revealInterruption(into: &effects)
        case .logout: finishLogout(.timeout, .byUs, at: now, into: &effects)
        case .request(let number): requestTimedOut(number, at: now, into: &effects)
        case .message(let number): messages.timedOut(number, policy, into: &effects)
        case .treeAnswer: linkEnded(.byUs, at: now, into: &effects)
        case .tokenWarning: warnOfExpiry(at: now, into: &effects)
        case .tokenExpiry: tokenExpired(at: now, into: &effects)
        case .accountCall: endAccountCall(.timeout, into: &effects)
        case .login: failOverdueLogin(into: &effects)
        case .suspension: suspend(at: now, into: &effects)
        }
    }

    private mutating func set(_ option: ClientOption) -> Status {
        switch option {
        case .retryCountMax(let count):
            guard count >= 0 else { return .invalidArgument }
            retryCountMax = count
        case .retryDelays(let delays):
            guard delays.allSatisfy({ $0 > .zero }) else { return .invalidArgument }
            ownRetryDelays = delays
        }
        return .ok
    }
}

// MARK: The phase

extension ClientMachine {
    /// Changes to another phase. Reports a transition if the client's state changes. Timers that do not belong to the
    /// new phase are cancelled. The caller may set timers of the new phase before this call.
    mutating func enter(_ next: Phase, because reason: StateReason, into effects: inout [ClientEffect]) {
        let before = state
        let wasEstablished = login?.isEstablished == true
        enterSilently(next)
        let after = state
        if before != after {
            effects.append(.transition(StateChange(from: before, to: after, reason: reason)))
        }
        reportLinkState(because: reason, wasEstablished: wasEstablished, into: &effects)
    }

    /// Changes to a phase without a login, and notifies the app of the login's end. The notification comes after the
    /// change of phase. In Chat 5 and NIM V2 it comes before the change.
    mutating func end(
        in next: Phase, because reason: StateReason, _ notice: ClientNotification?, into effects: inout [ClientEffect]
    ) {
        let notices = notice.map { [ClientEffect.notify($0)] } ?? []
        if policy.announcesEndFirst == true { effects += notices }
        enter(next, because: reason, into: &effects)
        if policy.announcesEndFirst != true { effects += notices }
    }

    /// Changes to another phase and reports nothing. All changes of phase call this method; the end of an app calls
    /// nothing else.
    mutating func enterSilently(_ next: Phase) {
        let kind = next.kind
        assert(phase.kind.successors.contains(kind), "\(kind) after \(phase.kind)")
        timers.cancel { !$0.belongs(to: kind) }
        phase = next
    }

    /// Changes the login of the current phase; does nothing if there is none.
    mutating func changeLogin(_ change: (inout Login) -> Void) { phase.changeLogin(change) }

    /// Changes the connection of the current phase; does nothing if there is none.
    mutating func changeLink(_ change: (inout Link) -> Void) { phase.changeLink(change) }

    /// Replaces the admin call of the current phase; nil if the call has ended.
    mutating func changeCall(to call: AdminCall?) { phase.changeCall(to: call) }

    /// Returns the number of a new connection and increases ``nextConnection``.
    mutating func makeConnection() -> ConnectionID {
        defer { nextConnection = nextConnection.successor }
        return nextConnection
    }
}

// MARK: Keyframes

extension ClientMachine: Codable {
    /// Reads the state from a keyframe. Throws a `DecodingError` if the keyframe's phase and connection do not fit.
    public init(from decoder: any Decoder) throws {
        let keyframe = try ClientKeyframe(from: decoder)
        guard let phase = keyframe.phaseWithLink else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a link without a phase for it, or none"))
        }
        common = ClientCommon(policy: keyframe.policy)
        common.timers = keyframe.timers
        common.nextRequest = keyframe.nextRequest
        calls = ClientCalls(requests: keyframe.requests, times: keyframe.callTimes, pages: keyframe.pages)
        messages = ClientMessages(outbox: keyframe.outbox, failed: keyframe.failed, sendCount: keyframe.messagesMade)
        subscriptions = Subscriptions(
            channels: keyframe.channels, members: keyframe.members ?? [], channelNumbers: keyframe.channelNumbers,
            attributes: keyframe.attributes, watched: keyframe.watched, reconciliation: keyframe.settling)
        device = keyframe.device
        local = keyframe.local
        self.phase = phase
        random = keyframe.random
        nextConnection = keyframe.nextConnection
        process = keyframe.process
        idsMade = keyframe.idsMade
        wall = keyframe.wall
        isSyncAnnounced = keyframe.isSyncAnnounced
        instance = keyframe.instance
        tree = keyframe.tree
        data = keyframe.data ?? ClientData()
        otherDevices = keyframe.otherDevices
        retryCountMax = keyframe.retryCountMax
        ownRetryDelays = keyframe.ownRetryDelays
        linkState = keyframe.linkState
    }

    /// Writes the whole state as a keyframe.
    public func encode(to encoder: any Encoder) throws {
        let keyframe = ClientKeyframe(
            policy: policy, device: device, local: local, phase: ClientKeyframe.Phase(phase), link: phase.link,
            timers: timers, random: random, nextConnection: nextConnection, nextRequest: common.nextRequest,
            requests: calls.requests, outbox: messages.outbox, failed: messages.failed,
            channelNumbers: subscriptions.channelNumbers, process: process, idsMade: idsMade,
            messagesMade: messages.sendCount, wall: wall, isSyncAnnounced: isSyncAnnounced,
            attributes: subscriptions.attributes, watched: subscriptions.watched,
            settling: subscriptions.reconciliation, callTimes: calls.times, pages: calls.pages, instance: instance,
            accountCall: phase.adminCall.map(ClientKeyframe.AccountCallPart.init), tree: tree,
            data: data == ClientData() ? nil : data,
            otherDevices: otherDevices, channels: subscriptions.channels,
            members: subscriptions.members.isEmpty ? nil : subscriptions.members, retryCountMax: retryCountMax,
            ownRetryDelays: ownRetryDelays, linkState: linkState)
        try keyframe.encode(to: encoder)
    }
}
