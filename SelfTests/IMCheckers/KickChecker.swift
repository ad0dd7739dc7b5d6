import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Checks which logins end, and that their devices are notified. A kick goes to the connection that it names (C-8). A
/// reconnect ends no login (C-6). Every kick is confirmed or delivered at the next contact, also across restarts (C-7).
/// There are no more kicks than the users' logins explain (P5).
struct KickChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// True if the policy lets a returning device end another device's login (CHAT-3).
    private var mayReturningKick: Bool
    /// True if a user may be on one device only.
    private var isSingle: Bool
    /// True if a disconnected device holds no slot and is not kicked (CHAT-3).
    private let freesPlaces: Bool
    /// The unconfirmed kicks, by the slot of the ended login.
    private var owed: [DeviceSlot: KickNotice] = [:]
    /// The number of logins that ended others, and of login commands, by user.
    private var kicking: [String: Int] = [:]
    private var commanded: [String: Int] = [:]
    /// The last login that was counted as one that ends others.
    private var counted: (ConnectionID, LoginEpoch)?

    init(_ policy: ServerPolicy) {
        mayReturningKick = policy.takenPlace == .kicksCurrent
        isSingle = policy.exclusion == .single
        freesPlaces = policy.offlineFreesPlace
    }

    mutating func begin(with policy: ServerPolicy) { self = KickChecker(policy) }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        guard case .input(.clientCommand(_, .login(let call))) = event.content else { return }
        commanded[call.user, default: 0] += 1
    }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, .setPolicy("exclusion", _))): isSingle = false
        case .input(.serverCommand(_, .setPolicy("taken-place", let value))):
            mayReturningKick = value == ServerPolicy.TakenPlace.kicksCurrent.rawValue
        case .input(.serverCommand(_, .deleteAccount(let user))): owed = owed.filter { $0.key.user != user }
        case .input(.frame(let connection, let frame)):
            guard case .kickedAck(let epoch) = frame.body else { return }
            confirmed(on: connection, epoch)
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked(let notice): kicked(notice, on: connection, trace, into: &violations)
            case .loginAck(let reply): answered(reply, on: connection, trace, into: &violations)
            default: break
            }
        default: break
        }
    }

    private mutating func confirmed(on connection: ConnectionID, _ epoch: LoginEpoch) {
        owed = owed.filter { $0.value.epoch != epoch || notified[connection] != $0.key }
    }

    /// The devices that were notified at the next contact, and the epoch of the ended login.
    private var met: [DeviceSlot: LoginEpoch] = [:]
    /// The device that was notified over each connection.
    private var notified: [ConnectionID: DeviceSlot] = [:]

    private mutating func kicked(
        _ notice: KickNotice, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        if let asking = trace.asking, asking.connection == connection {
            // The device is notified at its next contact.
            let slot = DeviceSlot(user: asking.login.user, device: asking.login.device.id)
            notified[connection] = slot
            // Under other policies the return itself may end the login.
            defer { met[slot] = notice.epoch }
            guard freesPlaces, mayReturningKick, notice.reason == .otherLogin, owed[slot]?.epoch != notice.epoch,
                met[slot] != notice.epoch, !trace.forgetsDevices
            else { return }
            let detail = "\(slot.user) on \(slot.device), login \(notice.epoch)"
            violations.append(Violation(.kicks, "CHAT-3", "who was away, and held no place, was kicked for it", detail))
            return
        }
        guard let accepted = trace.carried[connection] else {
            return violations.append(Violation(.kicks, "C-8", "a kick for a connection that carries no login"))
        }
        notified[connection] = accepted.slot
        owed[accepted.slot] = notice
        if notice.epoch != accepted.epoch {
            let detail = "login \(notice.epoch), over that of login \(accepted.epoch)"
            violations.append(Violation(.kicks, "C-8", "a kick names another login than its connection's", detail))
        }
        guard notice.reason == .otherLogin, let asking = trace.asking else { return }
        let detail = "\(asking.login.user) on \(asking.login.device.id), by a \(asking.login.mode) login"
        if asking.login.user != accepted.slot.user {
            violations.append(Violation(.kicks, "C-8", "a login ends another user's", detail))
        }
        if asking.login.device.id == accepted.slot.device, asking.login.instance == accepted.instance {
            violations.append(Violation(.kicks, "C-8", "a device's own new connection kicks it", detail))
        }
        if asking.login.mode == .resume, !mayReturningKick {
            violations.append(Violation(.kicks, "C-6", "going on with a login ended another's", detail))
        }
        // An offline login is as old as the login that it continues (ZIM-1). On the same device it comes from a newer
        // process, which is another login of the user.
        if asking.login.mode == .offline, isSingle, asking.login.epoch < accepted.epoch,
            asking.login.device.id != accepted.slot.device
        {
            violations.append(Violation(.kicks, "C-6", "an earlier login ends a later one", detail))
        }
        count(asking.login, over: asking.connection, accepted.epoch, detail, into: &violations)
    }

    private mutating func count(
        _ login: LoginRequest, over connection: ConnectionID, _ epoch: LoginEpoch, _ detail: String,
        into violations: inout [Violation]
    ) {
        if let counted, counted == (connection, epoch) { return }
        counted = (connection, epoch)
        kicking[login.user, default: 0] += 1
        guard !mayReturningKick, login.mode != .offline, login.mode != .automatic, login.mode != .forced else { return }
        if kicking[login.user, default: 0] > commanded[login.user, default: 0] * 8 {
            violations.append(Violation(.kicks, "C-5", "more kicks than logins by users", detail))
        }
    }

    private mutating func answered(
        _ reply: LoginReply, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        guard let asking = trace.asking, asking.connection == connection else { return }
        let slot = DeviceSlot(user: asking.login.user, device: asking.login.device.id)
        guard reply.status == .ok else {
            // A refusal can be the notification (NIM-7).
            if [.banned, .wrongCredential, .credentialExpired].contains(reply.status) { owed[slot] = nil }
            return
        }
        if let notice = owed[slot], notice.epoch == asking.login.epoch, asking.login.mode == .resume, !mayReturningKick
        {
            let detail = "\(slot.user) on \(slot.device), login \(notice.epoch)"
            violations.append(Violation(.kicks, "C-7", "a kicked login goes on, and was never told", detail))
        }
        owed[slot] = nil
    }
}

/// Checks a kick on the device: it ends the login at once in every state (C-5), the client confirms it to the server
/// (C-7), and a kick of an older login ends nothing (C-8).
struct KickedChecker: Checker {
    /// The epoch of the current login, from the server's answers.
    private var epoch: LoginEpoch = 0
    /// The user of this login. Epochs are counted per user.
    private var user: String?
    private var isLeaving = false
    private var pending: (notice: KickNotice, state: ClientState)?
    private var isConfirmed = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = KickedChecker()
        case .input(let input):
            check(trace, into: &violations)
            handleInput(input, trace)
        case .effect(.transition(let change)):
            if change.to.isOver { isLeaving = false }
            if change.to == .kicked { kicked(trace, into: &violations) }
        case .effect(.complete): isLeaving = false
        case .effect(.send(_, let frame)):
            if case .kickedAck(let epoch) = frame.body, epoch == pending?.notice.epoch { isConfirmed = true }
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ trace: ClientTrace) {
        isConfirmed = false
        switch input {
        case .clientCommand(_, .logout): isLeaving = true
        case .frame(_, let frame) where !trace.isInputStale:
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok: (user, epoch) = (trace.user, reply.epoch)
            case .kicked(let notice):
                if trace.user != user { (user, epoch) = (trace.user, 0) }
                if !isLeaving { pending = (notice, trace.state) }
            default: break
            }
        default: break
        }
    }

    private func kicked(_ trace: ClientTrace, into violations: inout [Violation]) {
        guard case .frame(_, let frame)? = trace.input else {
            return violations.append(Violation(.kicks, "C-5", "kicked without a word of the server"))
        }
        switch frame.body {
        case .kicked, .loginAck, .tokenNotice: break
        default: violations.append(Violation(.kicks, "C-5", "kicked without a kick", frame.body.name))
        }
    }

    /// Checks the state after all effects of the kick.
    private mutating func check(_ trace: ClientTrace, into violations: inout [Violation]) {
        guard let (notice, state) = pending else { return }
        pending = nil
        let isOver = trace.state.isOver
        let wasOver = state.isOver
        // The client does not have the epoch of a login that is not yet answered.
        let isMine = notice.epoch == epoch || [.online, .syncing, .reconnecting].contains(state)
        if notice.epoch >= epoch, isMine, !wasOver, !isOver {
            let detail = "\(notice.reason.name), still \(trace.state.name)"
            violations.append(Violation(.kicks, "C-5", "a kick that came did not end the login", detail))
        }
        if !wasOver, isOver, !isConfirmed {
            violations.append(Violation(.kicks, "C-7", "a kick that was told is not confirmed", notice.reason.name))
        }
        if notice.epoch < epoch, trace.state == .kicked, state != .kicked {
            violations.append(Violation(.kicks, "C-8", "a kick of an older login ended a newer one"))
        }
    }
}
