import IMClient
import IMProtocol
import IMServer
import IMSession

/// Each other device of a user is notified once of an operation, whether it is online or comes later, and whatever
/// frames are lost (CHAT-8, CHAT-9).
struct OperationChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The operations that each device must be notified of, by id: those sent to it, and those acknowledged to another
    /// device.
    private var owed: [DeviceSlot: Set<String>] = [:]
    /// The devices that have logged in to an account since its creation.
    private var devices: [String: Set<String>] = [:]
    /// The created groups.
    private var groups: Set<String> = []
    private struct Notified: Hashable {
        var user: String
        var id: String
    }

    /// The operations that each client's app was notified of: in the running process, and in total.
    private var notifiedNow: [String: Set<Notified>] = [:]
    private var notifiedEver: [String: Set<Notified>] = [:]
    /// The order in which the operations were first sent to each device.
    private var sent: [DeviceSlot: [String: Int]] = [:]
    /// The operation that each client's app was notified of last, by user.
    private var last: [String: [String: String]] = [:]
    /// The ids of the operations of each client.
    private var doneHere: [String: Set<String>] = [:]

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            owed = owed.filter { $0.key.user != user }
            devices[user] = nil
        case .effect(.send(let connection, let frame)):
            guard let slot = trace.carried[connection]?.slot else { return }
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok: devices[slot.user, default: []].insert(slot.device)
            case .operated(let operation):
                let key = Self.key(operation)
                owed[slot, default: []].insert(key)
                if sent[slot]?[key] == nil { sent[slot, default: [:]][key] = sent[slot]?.count ?? 0 }
            case .operationAck(.ok):
                guard case .frame(connection, let request) = trace.input, case .operation(let operation) = request.body,
                    isEffective(operation)
                else { return }
                for device in devices[slot.user] ?? [] where device != slot.device {
                    owed[DeviceSlot(user: slot.user, device: device), default: []].insert(Self.key(operation))
                }
            default: break
            }
        default: break
        }
    }

    /// True if the operation certainly changed something. An operation without a change causes no notification.
    private mutating func isEffective(_ operation: DeviceOperation) -> Bool {
        switch operation.kind {
        case .groupCreate: groups.insert(operation.target).inserted
        case .groupLeave: true
        default: false
        }
    }

    /// An operation on several conversations has one id for all.
    private static func key(_ operation: DeviceOperation) -> String { "\(operation.id) of \(operation.target)" }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: notifiedNow[event.node] = nil
        case .effect(.send(_, let frame)):
            if case .operation(let operation) = frame.body { doneHere[event.node, default: []].insert(operation.id) }
        case .effect(.notify(.operated(let operation))):
            if doneHere[event.node]?.contains(operation.id) == true {
                let detail = "\(operation.kind.name) of '\(operation.target)'"
                violations.add(.messages, "CHAT-8", "a device is notified of its own operation", detail)
            }
            let notified = Notified(user: trace.user ?? "", id: Self.key(operation))
            if notifiedEver[event.node, default: []].insert(notified).inserted {
                noteOrder(
                    notified, DeviceSlot(user: notified.user, device: trace.device), event.node, into: &violations)
            }
            guard !notifiedNow[event.node, default: []].insert(notified).inserted else { return }
            let detail = "\(operation.kind.name) of '\(operation.target)'"
            violations.add(.messages, "CHAT-8", "the app is notified of an operation twice", detail)
        default: break
        }
    }

    private mutating func noteOrder(
        _ notified: Notified, _ slot: DeviceSlot, _ node: String, into violations: inout [Violation]
    ) {
        let last = self.last[node, default: [:]].updateValue(notified.id, forKey: notified.user)
        guard let last, let before = sent[slot]?[last], let own = sent[slot]?[notified.id], own < before else { return }
        violations.add(
            .messages, "CHAT-8", "the app is notified of operations out of order", "\(notified.id) after \(last)")
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard machine.state == .online, let user = machine.user, !client.serverTrace.forgetsDevices else { return [] }
        let slot = ServerTrace.DeviceSlot(user: user, device: machine.device.id)
        return [missing(at: client.name, slot)].compactMap(\.self)
    }

    func missing(at node: String, _ slot: ServerTrace.DeviceSlot) -> Violation? {
        let notified = notifiedEver[node] ?? []
        guard let owed = owed[slot],
            let missing = owed.filter({ !notified.contains(Notified(user: slot.user, id: $0)) }).min()
        else { return nil }
        return Violation(.messages, "CHAT-8", "the app is not notified of an operation", missing)
    }
}
