import IMProtocol
import IMServer
import IMSession
import IMTree

/// The operator's orders and the server's grants: bans, refusals, security rules, confirmed kicks and message answers.
struct ServerGrants {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// True if the server keeps a login present on a broken connection until the silence limit.
    private let breakWaitsForSilence: Bool
    private var banned: Set<String> = []
    private var refused: Set<String> = []
    private var rules = TreeRules()
    /// The ended login that the server reported over each connection.
    private var notified: [ConnectionID: (slot: DeviceSlot, epoch: LoginEpoch)] = [:]
    private var confirmed: [DeviceSlot: LoginEpoch] = [:]

    init(_ policy: ServerPolicy) { breakWaitsForSilence = policy.breakWaitsForSilence }

    mutating func observe(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: confirmed.removeAll()
        case .input(.frame(let connection, let frame)):
            guard case .kickedAck(let epoch) = frame.body, let endedLogin = notified[connection],
                endedLogin.epoch == epoch
            else { return }
            confirmed[endedLogin.slot] = epoch
        case .effect(.complete(_, let completion)):
            if completion.status == .ok, case .serverCommand(_, let command)? = trace.input { applyOrder(command) }
        case .effect(.send(let connection, let frame)): sent(frame, on: connection, trace, into: &violations)
        default: break
        }
    }

    private mutating func applyOrder(_ command: ServerCommand) {
        switch command {
        case .banAccount(let user): banned.insert(user)
        case .addAccount(let user): banned.remove(user)
        case .deleteAccount(let user):
            banned.remove(user)
            refused.remove(user)
            confirmed = confirmed.filter { $0.key.user != user }
        case .setRefusal(let user, let status): if status == nil { refused.remove(user) } else { refused.insert(user) }
        case .setTreeRule(let path, let rule): if let keys = TreePath(path)?.keys { rules[keys] = rule }
        default: break
        }
    }

    private mutating func sent(
        _ frame: Frame, on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        switch frame.body {
        case .kicked(let notice):
            let loginRequest = trace.pendingLogin.flatMap { $0.connection == connection ? $0.login : nil }
            let slot =
                loginRequest.map { DeviceSlot(user: $0.user, device: $0.device.id) }
                ?? trace.acceptedLogins[connection]?.slot
            if let slot {
                notified[connection] = (slot, notice.epoch)
                confirmed[slot] = nil
            }
        case .loginAck(let reply) where reply.status == .ok:
            guard let user = trace.acceptedLogins[connection]?.slot.user else { return }
            if banned.contains(user) {
                violations.add(.intent, "NIM-7", "the login of a banned user is accepted", user)
            }
            if refused.contains(user) {
                violations.add(.intent, "NIM-7", "the login of a refused user is accepted", user)
            }
        case .sendAck(let status, _):
            if status == .ok || status == .stored { checkService(on: connection, trace, into: &violations) }
            guard case .frame(connection, let request)? = trace.input, case .send(let message) = request.body,
                !message.isToChannel
            else { return }
            checkAnswer(status, to: message, trace, into: &violations)
        case .operationAck(.ok), .answer(.ok, _): checkService(on: connection, trace, into: &violations)
        case .treeAck(.ok, _):
            guard case .frame(connection, let request)? = trace.input, case .tree(let treeRequest) = request.body,
                request.page == 0, !request.hasMore
            else { return }
            checkRules(treeRequest, trace.acceptedLogins[connection]?.slot.user ?? "", into: &violations)
        default: break
        }
    }

    private func checkService(on connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]) {
        guard let user = trace.acceptedLogins[connection]?.slot.user, refused.contains(user) else { return }
        violations.add(.intent, "NIM-7", "a request of a refused user is served", user)
    }

    /// Checks that the answer is `ok` for a connected receiver and `stored` for one that is not connected (C-14).
    private func checkAnswer(
        _ status: Status, to message: ChatMessage, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        guard status == .ok || status == .stored, !breakWaitsForSilence else { return }
        let isConnected = trace.acceptedLogins.contains { id, login in
            trace.newestLinks[login.slot] == id && !trace.linksOfEndedLogins.contains(id)
                && (login.slot.user == message.to || "\(login.slot.user)/\(login.slot.device)" == message.to)
        }
        guard isConnected != (status == .ok) else { return }
        let kind =
            isConnected
            ? "a message for a connected receiver is answered with 'stored'" : "a stored message is answered with 'ok'"
        violations.add(.intent, "C-14", kind, "'\(message.text)' to \(message.to)")
    }

    /// Checks that no access is granted that a security rule forbids (error 26101).
    private func checkRules(_ request: TreeRequest, _ user: String, into violations: inout [Violation]) {
        guard let checked = try? CheckedTreeRequest(request) else { return }
        let keys = checked.path.keys
        let isAllowed: Bool
        switch checked.request {
        case .get, .listen: isAllowed = rules.allow(.read, at: keys, to: user)
        case .unlisten, .cancelOnDisconnect: isAllowed = true
        default: isAllowed = checked.change.map { rules.allow($0, at: keys, to: user) } ?? true
        }
        guard !isAllowed else { return }
        let detail = "\(request.name) at '\(request.path)' by \(user)"
        violations.add(.intent, "SYNC-10", "an access is granted although a rule forbids it", detail)
    }

    /// Checks that a kick is not pending after the device confirmed it (C-7).
    func violations(_ server: ServerMachine) -> [Violation] {
        server.deviceViews.compactMap { view in
            let slot = DeviceSlot(user: view.user, device: view.device.id)
            guard let epoch = view.pendingKick?.epoch, confirmed[slot] == epoch else { return nil }
            return Violation(.intent, "C-7", "a confirmed kick is still pending", "\(view.user) on \(view.device.id)")
        }
    }
}
