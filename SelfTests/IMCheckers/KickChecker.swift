import IMClient
import IMProtocol
import IMServer
import IMSession

/// Checks which logins end, and that the server notifies their devices. A kick is sent over the connection of the login
/// that it names (C-8). A reconnect ends no login (C-6). Every kick is confirmed, or delivered at the device's next
/// contact, even after server restarts (C-7). A granted kick request ends exactly the logins that it names (NIM-12).
struct KickChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// True if the policy lets a returning device end another device's login (CHAT-3).
    private var canReturningDeviceKick: Bool
    /// True if the policy permits one device for each user.
    private var isSingle: Bool
    /// The unconfirmed kicks, by the slot of the ended login.
    private var unconfirmed: [DeviceSlot: KickNotice] = [:]
    /// The device whose kick was sent over each connection.
    private var notified: [ConnectionID: DeviceSlot] = [:]
    /// The logins that the current login request must end, and those that it must not end. ``ended`` contains the
    /// logins that the server ended for the request.
    private var request: (ends: Set<DeviceSlot>, spares: Set<DeviceSlot>)?
    private var isGranted = false
    private var ended: Set<DeviceSlot> = []

    init(_ policy: ServerPolicy) {
        canReturningDeviceKick = policy.takenPlace == .kicksCurrent
        isSingle = policy.exclusion == .single
    }

    mutating func begin(with policy: ServerPolicy) { self = KickChecker(policy) }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        if case .input(let input) = event.content {
            checkRequest(into: &violations)
            request = Self.request(input, trace)
        }
        switch event.content {
        case .start, .stop: request = nil
        case .effect(.complete(_, let completion)): isGranted = completion.status == .ok
        case .input(.serverCommand(_, .setPolicy("exclusion", _))): isSingle = false
        case .input(.serverCommand(_, .setPolicy("taken-place", let value))):
            canReturningDeviceKick = value == ServerPolicy.TakenPlace.kicksCurrent.rawValue
        case .input(.serverCommand(_, .deleteAccount(let user))):
            unconfirmed = unconfirmed.filter { $0.key.user != user }
        case .input(.frame(let connection, let frame)):
            guard case .kickedAck(let epoch) = frame.body else { return }
            unconfirmed = unconfirmed.filter { $0.value.epoch != epoch || notified[connection] != $0.key }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kickAck(let status), .accountCallAck(let status, _): isGranted = status == .ok
            case .kicked(let notice):
                if let slot = trace.acceptedLogins[connection]?.slot { ended.insert(slot) }
                kicked(notice, on: connection, trace, into: &violations)
            case .loginAck(let reply): answered(reply, on: connection, trace, into: &violations)
            default: break
            }
        default: break
        }
    }

    /// The connected logins that a kick request names, and all other connected logins. The request comes from a device,
    /// an admin call or the operator.
    private static func request(
        _ input: NodeInput, _ trace: ServerTrace
    ) -> (ends: Set<DeviceSlot>, spares: Set<DeviceSlot>)? {
        let connected = trace.newestLinks.filter { !trace.linksOfEndedLogins.contains($0.value) }.keys
        func naming(_ user: String, _ device: String?, except own: String? = nil)
            -> (ends: Set<DeviceSlot>, spares: Set<DeviceSlot>)
        {
            let named = connected.filter { $0.user == user && $0.device == device ?? $0.device && $0.device != own }
            return (Set(named), Set(connected).subtracting(named))
        }
        switch input {
        case .serverCommand(_, .kick(let user, let device)): return naming(user, device)
        case .serverCommand(_, .banAccount(let user)), .serverCommand(_, .deleteAccount(let user)):
            return naming(user, nil)
        case .frame(let connection, let frame):
            switch frame.body {
            case .kick(let device):
                guard let own = trace.acceptedLogins[connection]?.slot, !trace.linksOfEndedLogins.contains(connection)
                else { return nil }
                return naming(own.user, device.isEmpty ? nil : device, except: own.device)
            case .accountCall(let call):
                switch call.action {
                case .listDevices: return nil
                case .kick(let device): return naming(call.user, device)
                case .kickAll: return naming(call.user, nil)
                }
            default: return nil
            }
        default: return nil
        }
    }

    /// Checks that a granted request ends all logins that it names, and that no request ends any other login.
    private mutating func checkRequest(into violations: inout [Violation]) {
        defer { (request, isGranted, ended) = (nil, false, []) }
        guard let request else { return }
        if let slot = ended.intersection(request.spares).min() {
            violations.add(
                .kicks, "C-8", "a request ends a login that it does not name", "\(slot.user) on \(slot.device)")
        }
        if isGranted, let slot = request.ends.subtracting(ended).min() {
            let detail = "\(slot.user) on \(slot.device)"
            violations.add(.kicks, "NIM-12", "a granted kick does not end a login that it names", detail)
        }
    }

    private mutating func kicked(
        _ notice: KickNotice, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        if let pendingLogin = trace.pendingLogin, pendingLogin.connection == connection {
            // This kick answers the device's login request, so the device has now been notified.
            notified[connection] = DeviceSlot(user: pendingLogin.login.user, device: pendingLogin.login.device.id)
            return
        }
        guard let accepted = trace.acceptedLogins[connection] else {
            return violations.add(.kicks, "C-8", "a kick is sent over a connection without a login")
        }
        notified[connection] = accepted.slot
        unconfirmed[accepted.slot] = notice
        if notice.epoch != accepted.epoch {
            let detail = "login \(notice.epoch), over the connection of login \(accepted.epoch)"
            violations.add(.kicks, "C-8", "a kick names another login than that of its connection", detail)
        }
        guard notice.reason == .otherLogin, let pendingLogin = trace.pendingLogin else { return }
        let login = pendingLogin.login
        let detail = "\(login.user) on \(login.device.id), by a \(login.mode) login"
        if login.user != accepted.slot.user {
            violations.add(.kicks, "C-8", "a login ends the login of another user", detail)
        }
        if login.device.id == accepted.slot.device, login.instance == accepted.instance {
            violations.add(.kicks, "C-8", "a device is kicked by its own new connection", detail)
        }
        if login.mode == .resume, !canReturningDeviceKick {
            violations.add(.kicks, "C-6", "a resumed login ends the login of another device", detail)
        }
        // An offline login continues an earlier login and has its age (ZIM-1), so it must not end a later login. On the
        // same device it comes from a newer process, which may replace the earlier process.
        if login.mode == .offline, isSingle, login.epoch < accepted.epoch,
            login.device.id != accepted.slot.device
        {
            violations.add(.kicks, "C-6", "an earlier login ends a later login", detail)
        }
    }

    private mutating func answered(
        _ reply: LoginReply, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        guard let pendingLogin = trace.pendingLogin, pendingLogin.connection == connection else { return }
        let slot = DeviceSlot(user: pendingLogin.login.user, device: pendingLogin.login.device.id)
        guard reply.status == .ok else {
            // The server can report the end of a login as a refusal (NIM-7).
            if [.banned, .wrongCredential, .credentialExpired].contains(reply.status) { unconfirmed[slot] = nil }
            return
        }
        if let notice = unconfirmed[slot], notice.epoch == pendingLogin.login.epoch, pendingLogin.login.mode == .resume,
            !canReturningDeviceKick
        {
            let detail = "\(slot.user) on \(slot.device), login \(notice.epoch)"
            violations.add(.kicks, "C-7", "a kicked login is resumed without a notice of the kick", detail)
        }
        unconfirmed[slot] = nil
    }
}

/// Checks kicks on the device. A kick ends the login at once in every state (C-5). The client confirms the kick to the
/// server (C-7). A kick of an older login ends nothing (C-8).
struct KickedChecker: Checker {
    /// The epoch of the current login, from the server's answers.
    private var epoch: LoginEpoch = 0
    /// The user of the current login. Each user's epochs are counted separately.
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
            return violations.add(.kicks, "C-5", "the client is kicked without a frame of the server")
        }
        switch frame.body {
        case .kicked, .loginAck, .tokenNotice: break
        default: violations.add(.kicks, "C-5", "the client is kicked without a kick", frame.body.name)
        }
    }

    /// Checks the client's state after all effects of the kick.
    private mutating func check(_ trace: ClientTrace, into violations: inout [Violation]) {
        guard let (notice, state) = pending else { return }
        pending = nil
        let isOver = trace.state.isOver
        let wasOver = state.isOver
        // A client whose login request is not yet answered has no epoch to compare with the kick's epoch.
        let isMine = notice.epoch == epoch || [.online, .syncing, .reconnecting].contains(state)
        if notice.epoch >= epoch, isMine, !wasOver, !isOver {
            let detail = "\(notice.reason.name), still \(trace.state.name)"
            violations.add(.kicks, "C-5", "a received kick does not end the login", detail)
        }
        if !wasOver, isOver, !isConfirmed {
            violations.add(.kicks, "C-7", "a received kick is not confirmed", notice.reason.name)
        }
        if notice.epoch < epoch, trace.state == .kicked, state != .kicked {
            violations.add(.kicks, "C-8", "a kick of an earlier login ends the present login")
        }
    }
}
