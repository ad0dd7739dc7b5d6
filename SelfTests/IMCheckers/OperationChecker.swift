import IMClient
import IMProtocol
import IMServer
import IMSession

/// A user's other devices are each notified once of an operation. This holds for a device that logs in later, and after
/// the loss of any frames (CHAT-8, CHAT-9).
struct OperationChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The ids of the operations that each device must be notified of: the operations that the server sent to the
    /// device, and those that the server acknowledged to another device of the user.
    private var expected: [DeviceSlot: Set<String>] = [:]
    /// The devices that have logged in to each user's account since its creation.
    private var devices: [String: Set<String>] = [:]
    /// The ids of all groups that were ever created.
    private var groups: Set<String> = []
    private struct Notified: Hashable {
        var user: String
        var id: String
    }

    /// The operations that each client's app was notified of: in the running process, and in total.
    private var notifiedNow: [String: Set<Notified>] = [:]
    private var notifiedEver: [String: Set<Notified>] = [:]
    /// For each device, the order in which the server first sent the operations.
    private var sent: [DeviceSlot: [String: Int]] = [:]
    /// The last operation that each client's app was notified of, by user.
    private var lastNotified: [String: [String: String]] = [:]
    /// The ids of the operations that each client's own user made there.
    private var ownOperations: [String: Set<String>] = [:]

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            expected = expected.filter { $0.key.user != user }
            devices[user] = nil
        case .effect(.send(let connection, let frame)):
            guard let slot = trace.acceptedLogins[connection]?.slot else { return }
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok: devices[slot.user, default: []].insert(slot.device)
            case .operated(let operation):
                let key = Self.key(operation)
                expected[slot, default: []].insert(key)
                if sent[slot]?[key] == nil { sent[slot, default: [:]][key] = sent[slot]?.count ?? 0 }
            case .operationAck(.ok):
                guard case .frame(connection, let request) = trace.input, case .operation(let operation) = request.body,
                    isEffective(operation)
                else { return }
                for device in devices[slot.user] ?? [] where device != slot.device {
                    expected[DeviceSlot(user: slot.user, device: device), default: []].insert(Self.key(operation))
                }
            default: break
            }
        default: break
        }
    }

    /// True if the operation certainly has an effect. Other devices are not notified of operations without an effect.
    private mutating func isEffective(_ operation: DeviceOperation) -> Bool {
        switch operation.kind {
        case .groupCreate: groups.insert(operation.target).inserted
        case .groupLeave: true
        default: false
        }
    }

    /// One operation on several conversations has the same id for each of them, so the key contains both.
    private static func key(_ operation: DeviceOperation) -> String { "\(operation.id) of \(operation.target)" }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: notifiedNow[event.node] = nil
        case .effect(.send(_, let frame)):
            if case .operation(let operation) = frame.body {
                ownOperations[event.node, default: []].insert(operation.id)
            }
        case .effect(.notify(.operated(let operation))):
            if ownOperations[event.node]?.contains(operation.id) == true {
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
        let lastNotified = self.lastNotified[node, default: [:]].updateValue(notified.id, forKey: notified.user)
        guard let lastNotified, let before = sent[slot]?[lastNotified], let own = sent[slot]?[notified.id], own < before
        else { return }
        violations.add(
            .messages, "CHAT-8", "the app is notified of operations out of order",
            "\(notified.id) after \(lastNotified)")
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard machine.state == .online, let user = machine.user, !client.serverTrace.forgetsDevices else { return [] }
        let slot = ServerTrace.DeviceSlot(user: user, device: machine.device.id)
        return [missing(at: client.name, slot)].compactMap(\.self)
    }

    func missing(at node: String, _ slot: ServerTrace.DeviceSlot) -> Violation? {
        let notified = notifiedEver[node] ?? []
        guard let expected = expected[slot],
            let missing = expected.filter({ !notified.contains(Notified(user: slot.user, id: $0)) }).min()
        else { return nil }
        return Violation(.messages, "CHAT-8", "the app is not notified of an operation", missing)
    }
}
