import IMClient
import IMProtocol
import IMServer
import IMSimulation

@testable import IMScript
@testable import IMSession

/// Follows every message of a scenario, known by its text, which nobody uses twice: who was told that it was taken in, who
/// should have it, who was told of it and how often (C-14, CHAT-8, RTM-8).
///
/// A model of its own: it looks at frames and callbacks and at no machine's memory.
struct ScenarioMessages {
    private struct Place: Hashable, Comparable {
        var user: String
        var device: String

        static func < (left: Place, right: Place) -> Bool {
            (left.user, left.device) < (right.user, right.device)
        }
    }

    /// The devices that have logged in to an account since it was made, in that order.
    private var devices: [String: [String]] = [:]
    /// Who is on a connection of the server.
    private var connections: [ConnectionID: Place] = [:]
    private var serverInput: NodeInput?
    /// The texts of messages that were acknowledged, with the places that should have them.
    private var taken: [String: Set<Place>] = [:]
    /// Texts for users who had no device yet.
    private var early: [String: [String]] = [:]
    private var sent: [String: [UInt32: String]] = [:]
    private var acknowledged: Set<String> = []
    /// How often each client's users were told of each text, by its running process and ever.
    private var toldNow: [String: [String: Int]] = [:]
    private var toldEver: [String: [String: Int]] = [:]
    private let copiesToOwnDevices: Bool
    private let keepsLocalData: Bool

    init(client: ClientPolicy, server: ServerPolicy) {
        copiesToOwnDevices = server.copiesToOwnDevices
        keepsLocalData = client.features.contains(.localData)
    }

    mutating func seeServer(_ event: SessionEvent) {
        switch event.content {
        case .input(let input):
            serverInput = input
            if case .serverCommand(_, .deleteAccount(let user)) = input { forget(user) }
        case .effect(.send(let connection, let frame)): answered(frame, on: connection)
        default: break
        }
    }

    private mutating func answered(_ frame: Frame, on connection: ConnectionID) {
        guard case .frame(let cause, let asked) = serverInput, cause == connection else { return }
        switch (frame.body, asked.body) {
        case (.loginAck(let reply), .login(let login)) where reply.status == .ok:
            let place = Place(user: login.user, device: login.device.id)
            connections[connection] = place
            guard devices[login.user]?.contains(place.device) != true else { return }
            devices[login.user, default: []].append(place.device)
            for text in early.removeValue(forKey: login.user) ?? [] { taken[text, default: []].insert(place) }
        case (.sendAck(let status, _), .send(let message)) where status == .ok || status == .stored:
            take(message, from: connections[connection])
        default: break
        }
    }

    private mutating func take(_ message: ChatMessage, from sender: Place?) {
        guard !message.isToChannel, taken[message.text] == nil, let sender else { return }
        var places: Set<Place> = []
        if let known = devices[message.to] {
            places.formUnion(known.map { Place(user: message.to, device: $0) })
            // A user who writes to oneself has it on the sending device already.
        } else {
            early[message.to, default: []].append(message.text)
        }
        if copiesToOwnDevices, message.to != sender.user {
            places.formUnion(
                (devices[sender.user] ?? []).filter { $0 != sender.device }
                    .map { Place(user: sender.user, device: $0) })
        }
        taken[message.text] = places
    }

    /// An account is removed with all that waited in it.
    private mutating func forget(_ user: String) {
        devices.removeValue(forKey: user)
        early.removeValue(forKey: user)
        for text in taken.keys { taken[text] = taken[text]?.filter { $0.user != user } }
    }

    /// - Parameter user: who is logged in on the client: the same text may be told to one user there and, as another's
    ///   message, to the next.
    /// - Returns: what is wrong.
    mutating func seeClient(_ event: SessionEvent, user: String) -> [String] {
        switch event.content {
        case .start, .stop: toldNow[event.node] = [:]
        case .input(.clientCommand(let id, .send(_, let text, _))): sent[event.node, default: [:]][id.rawValue] = text
        case .effect(.complete(let id, let completion)):
            guard let text = sent[event.node]?.removeValue(forKey: id.rawValue) else { break }
            if completion.status == .ok || completion.status == .stored { acknowledged.insert(text) }
        case .effect(.notify(.messageReceived(let message))):
            let key = Self.key(message.text, user)
            toldEver[event.node, default: [:]][key, default: 0] += 1
            toldNow[event.node, default: [:]][key, default: 0] += 1
            let times = (keepsLocalData ? toldEver : toldNow)[event.node]?[key] ?? 0
            if times > 1 { return ["C-14: '\(message.text)' was told \(times) times"] }
        default: break
        }
        return []
    }

    private static func key(_ text: String, _ user: String) -> String { "\(user) \(text)" }

    /// What is missing when everything has come to rest: what was acknowledged has been told to every device that is
    /// online and should have it.
    func finish(in core: WorldCore) -> [String] {
        var places: [Place: String] = [:]
        for id in core.clients {
            guard let machine = core[id].client, machine.state == .online, let user = machine.user else { continue }
            places[Place(user: user, device: machine.device.id)] = core[id].name
        }
        var faults: [String] = []
        for text in acknowledged.sorted() {
            for place in (taken[text] ?? []).sorted() {
                guard let name = places[place], toldEver[name]?[Self.key(text, place.user)] == nil else { continue }
                faults.append("C-14: \(name), online as \(place.user), was never told of '\(text)'")
            }
        }
        return faults
    }
}
