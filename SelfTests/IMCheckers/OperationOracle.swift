import IMClient
import IMProtocol
import IMSession
import SansIO

/// Each other device of a user is notified once of an operation, whether it is online or comes later, and whatever
/// frames are lost (CHAT-8, CHAT-9).
struct OperationOracle {
    private typealias Place = ServerTrace.Place

    /// The operations that each device must be notified of, by id: those sent to it, and those acknowledged to another
    /// device.
    private var owed: [Place: Set<String>] = [:]
    /// The devices that have logged in to an account since its creation.
    private var devices: [String: Set<String>] = [:]
    /// The created groups.
    private var groups: Set<String> = []
    private struct Told: Hashable {
        var user: String
        var id: String
    }

    /// The operations that each client's app was notified of: in the running process, and in total.
    private var toldNow: [String: Set<Told>] = [:]
    private var toldEver: [String: Set<Told>] = [:]
    /// The order in which the operations were first sent to each device.
    private var sent: [Place: [String: Int]] = [:]
    /// The operations that each client's app was notified of, by user, in order.
    private var order: [String: [String: [String]]] = [:]
    /// The ids of the operations of each client.
    private var doneHere: [String: Set<String>] = [:]

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))):
            owed = owed.filter { $0.key.user != user }
            devices[user] = nil
        case .effect(.send(let connection, let frame)):
            guard let place = trace.carried[connection]?.place else { return }
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok: devices[place.user, default: []].insert(place.device)
            case .operated(let operation):
                let key = Self.key(operation)
                owed[place, default: []].insert(key)
                if sent[place]?[key] == nil { sent[place, default: [:]][key] = sent[place]?.count ?? 0 }
            case .operationAck(.ok):
                guard case .frame(connection, let asked) = trace.input, case .operation(let operation) = asked.body,
                    isNews(operation)
                else { return }
                for device in devices[place.user] ?? [] where device != place.device {
                    owed[Place(user: place.user, device: device), default: []].insert(Self.key(operation))
                }
            default: break
            }
        default: break
        }
    }

    /// True if the operation certainly changed something. An operation without a change causes no notification.
    private mutating func isNews(_ operation: DeviceOperation) -> Bool {
        switch operation.kind {
        case .groupCreate: groups.insert(operation.target).inserted
        case .groupLeave: true
        default: false
        }
    }

    /// An operation on several conversations has one id for all.
    private static func key(_ operation: DeviceOperation) -> String { "\(operation.id) of \(operation.target)" }

    mutating func seeClient(_ event: SessionEvent, _ user: String?, device: String, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: toldNow[event.node] = nil
        case .effect(.send(_, let frame)):
            if case .operation(let operation) = frame.body { doneHere[event.node, default: []].insert(operation.id) }
        case .effect(.notify(.operated(let operation))):
            if doneHere[event.node]?.contains(operation.id) == true {
                let words = "\(operation.kind.name) of '\(operation.target)'"
                faults.append(Violation(.messages, "CHAT-8", "what was done here is told as another device's", words))
            }
            let told = Told(user: user ?? "", id: Self.key(operation))
            if toldEver[event.node, default: []].insert(told).inserted {
                noteOrder(told, Place(user: told.user, device: device), event.node, into: &faults)
            }
            guard !toldNow[event.node, default: []].insert(told).inserted else { return }
            let words = "\(operation.kind.name) of '\(operation.target)'"
            faults.append(Violation(.messages, "CHAT-8", "what was done on another device is told twice", words))
        default: break
        }
    }

    private mutating func noteOrder(
        _ told: Told, _ place: Place, _ node: String, into faults: inout [Violation]
    ) {
        let last = order[node]?[told.user]?.last
        order[node, default: [:]][told.user, default: []].append(told.id)
        guard let last, let before = sent[place]?[last], let own = sent[place]?[told.id], own < before else { return }
        faults.append(Violation(.messages, "CHAT-8", Self.outOfOrder, "\(told.id) after \(last)"))
    }

    private static let outOfOrder = "what was done on another device is told out of order"

    /// Checks that two devices of a user were notified in the same order. Call it if nothing is in flight.
    func faults(_ devices: [(name: String, user: String, device: String)]) -> [Violation] {
        devices.indices.flatMap { index in
            devices[..<index].compactMap { other -> Violation? in
                let one = devices[index]
                guard one.user == other.user, let here = order[one.name]?[one.user],
                    let there = order[other.name]?[one.user]
                else { return nil }
                let both = Set(here).intersection(there)
                let (first, second) = (here.filter(both.contains), there.filter(both.contains))
                guard first != second else { return nil }
                return Violation(.messages, "CHAT-8", Self.outOfOrder, "\(one.name) \(first), \(other.name) \(second)")
            }
        }
    }

    /// Call it if the client is online and nothing is in flight.
    func fault(of node: String, user: String, device: String, _ trace: ServerTrace) -> Violation? {
        let told = toldEver[node] ?? []
        guard !trace.forgetsDevices, let owed = owed[Place(user: user, device: device)],
            let missing = owed.filter({ !told.contains(Told(user: user, id: $0)) }).min()
        else { return nil }
        return Violation(.messages, "CHAT-8", "what was done on another device was never told", missing)
    }
}
