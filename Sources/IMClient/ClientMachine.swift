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
///   paused ◀── the app goes offline, or another process of the device logs in, from all but leaving
/// ```
///
/// Each arrow is in ``Phase/Kind/successors``, and no phase follows another without one. A phase holds the state that
/// belongs to it, above all its connection. A timer declares its phases, and is cancelled when any other phase starts.
///
/// Rules for peers: every input from a connection is checked against its generation, in one place (C-3). A protocol
/// violation ends the connection in order and counts as a failed attempt. For the caller: one completion for each
/// command (C-1); misuse is refused and changes nothing. For the machine itself: at most one connection and one
/// attempt, by construction (C-2); after a logout or a kick no timer and no request of the old login remains (C-4,
/// C-5).
public struct ClientMachine: Machine {
    /// The device that it runs on; the same for every process.
    public let device: Device
    /// The data that outlives the process.
    public internal(set) var local: LocalData

    /// The current phase, with its state. Only ``enter(_:because:into:)`` changes to another one.
    private(set) var phase = Phase.loggedOut(nil)
    var random: SeededRandom
    /// The generation of the next connection; it never decreases.
    public internal(set) var nextConnection: ConnectionID
    /// The name of this process in the ids that it makes; no other process has it (C-14).
    public let process: String
    /// The number of ids made so far.
    var idsMade: UInt64 = 0
    /// The estimated wall clock at instant zero.
    var wall = WallClock()
    var isSyncAnnounced = false
    /// Identifies this running instance among all that ever ran on the device (RTM-6).
    let instance: UInt64
    /// The user's other devices that are online (NIM-13).
    var otherDevices: [Device] = []
    var retryCountMax: Int
    /// The app's own retry delays; empty for the policy's.
    var ownRetryDelays: [Interval] = []
    /// The last reported state of the connection; nil before the first report.
    var linkState: LinkState?

    // The parts, each with its own state. They do not depend on the phase, except for the connection passed to them.
    var common: ClientCommon
    var calls = ClientCalls()
    var messages = ClientMessages()
    var subscriptions = Subscriptions()
    var tree = ClientTree()
    var data = ClientData()

    /// - Parameters:
    ///   - policy: the policy of this SDK.
    ///   - device: the device that it runs on.
    ///   - local: the data stored by an earlier process.
    ///   - seed: the seed of its random numbers.
    ///   - firstConnection: the generation of its first connection. A later process of the same app continues the
    ///     count, so that a late answer to the earlier process is not taken for an answer to this one.
    ///   - nonce: a number that no other process uses; nil if it may be derived from the seed and the earlier state.
    public init(
        policy: ClientPolicy, device: Device, local: LocalData = LocalData(), seed: UInt64,
        firstConnection: ConnectionID = ConnectionID(1), nonce: UInt64? = nil
    ) {
        common = ClientCommon(policy: policy)
        self.device = device
        self.local = local
        random = SeededRandom(seed: seed)
        var fork = SeededRandom(seed: seed &+ UInt64(firstConnection.rawValue) << 32 &+ local.lastEpoch)
        process = OwnID.process(device: device.id, nonce: nonce ?? fork.next())
        // Uses its own random stream, so that this draw does not shift the others; zero means none.
        var naming = SeededRandom(seed: ~seed)
        instance = max(1, nonce ?? naming.next())
        nextConnection = firstConnection
        retryCountMax = policy.retryCountMax
    }

    /// The policy of its system.
    public var policy: ClientPolicy { common.policy }

    var timers: Deadlines<ClientTimer> {
        get { common.timers }
        _modify { yield &common.timers }
    }

    /// The time of its next timer.
    public var nextDeadline: Instant? { common.timers.next }

    /// The state that the user sees.
    public var state: ClientState { phase.state }

    /// The user of the current login or login attempt; nil when logged out.
    public var user: String? { login?.user }

    /// The channels joined, in the order of joining.
    public var joinedChannels: [String] { subscriptions.channels }

    /// True if local data may be read: from the start of an automatic login, or once a login has succeeded (NIM-2).
    public var isDataOpen: Bool {
        guard let login else { return false }
        return login.isEstablished || login.mode != .manual
            || policy.opensDataAtLogin == true && login.user == local.lastUser
    }

    var login: Login? { phase.login }
    var link: Link? { phase.link }
    var openLink: Link? { phase.openLink }

    /// The host's number of the input that set the next deadline; 0 if unknown.
    package var nextDeadlineSetter: UInt64 { common.timers.nextSetter }

    /// The host's number of the next input, for the timers that it sets; not part of the state.
    package var inputNumber: UInt64 {
        get { common.timers.setter }
        set { common.timers.setter = newValue }
    }

    /// Handles an input and appends its effects, in order.
    public mutating func handle(_ input: ClientInput, at now: Instant, into effects: inout [ClientEffect]) {
        // The one place where answers of replaced connections are dropped (C-3).
        if let connection = input.connection, phase.connection != connection { return }
        if case .dataAnswered(let answer) = input, !isAwaited(answer) { return }
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
        case .ask(let question): ask(question, command: id, at: now, into: &effects)
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
        // A heartbeat is unanswered: the connection is half-open.
        case .heartbeatAnswer: linkEnded(.byUs, at: now, into: &effects)
        case .grace: revealInterruption(into: &effects)
        case .logout: finishLogout(.timeout, .byUs, at: now, into: &effects)
        case .request(let number): requestTimedOut(number, at: now, into: &effects)
        case .message(let number): messages.timedOut(number, policy, into: &effects)
        case .treeAnswer: linkEnded(.byUs, at: now, into: &effects)
        case .tokenWarning: warnOfExpiry(at: now, into: &effects)
        case .tokenExpiry: tokenExpired(at: now, into: &effects)
        case .accountCall: endAccountCall(.timeout, into: &effects)
        case .login: loginTimedOut(into: &effects)
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
    /// Changes to another phase, and reports a transition if the user sees a different state. State of the new phase
    /// may be set before; everything that does not belong to it ends here.
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

    /// Ends a login, and notifies the app of it: after the change of phase, or before it in systems whose events come
    /// before the end (Chat 5, NIM V2).
    mutating func end(
        in next: Phase, because reason: StateReason, _ notice: ClientNotification?, into effects: inout [ClientEffect]
    ) {
        let notices = notice.map { [ClientEffect.notify($0)] } ?? []
        if policy.announcesEndFirst == true { effects += notices }
        enter(next, because: reason, into: &effects)
        if policy.announcesEndFirst != true { effects += notices }
    }

    /// Enters a phase without a notification, as for an app that ends. The phase changes only here.
    mutating func enterSilently(_ next: Phase) {
        let kind = next.kind
        assert(phase.kind.successors.contains(kind), "\(kind) after \(phase.kind)")
        timers.cancel { !$0.belongs(to: kind) }
        phase = next
    }

    /// Changes the login without a change of phase.
    mutating func changeLogin(_ change: (inout Login) -> Void) { phase.changeLogin(change) }

    /// Changes the connection without a change of phase; does nothing if there is none.
    mutating func changeLink(_ change: (inout Link) -> Void) { phase.changeLink(change) }

    /// Stores an admin call that has started, continued or ended.
    mutating func changeCall(to call: AdminCall?) { phase.changeCall(to: call) }

    /// The generation of a new connection.
    mutating func makeConnection() -> ConnectionID {
        defer { nextConnection = nextConnection.successor }
        return nextConnection
    }
}

// MARK: Keyframes

extension ClientMachine: Codable {
    /// Reads the state of a keyframe; throws if no machine can be in that state.
    public init(from decoder: any Decoder) throws {
        let keyframe = try ClientKeyframe(from: decoder)
        guard let phase = keyframe.wholePhase else {
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

    /// Writes the whole state in the form of a keyframe.
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
