import Foundation
import IMProfiles
import Recorder
import SansIO
import Testing

@testable import IMClient
@testable import IMDebugger
@testable import IMProtocol
@testable import IMRepl
@testable import IMServer
@testable import IMSession

/// Machines in a known state, from the recordings of the library: clients in every phase, and servers with clients, for
/// every profile.
struct MachineHarness: Sendable {
    var name: String
    var profile: String
    var machine: NodeMachine
    var now: Instant
    /// The connections over which a frame can arrive.
    var connections: [ConnectionID]

    static let all: [MachineHarness] = {
        var harnesses: [String: MachineHarness] = [:]
        for name in SessionLibrary.scripts {
            let path = SessionLibrary.recordingPath(name.dropLast(4))
            guard let reader = try? SessionReader(path: path), reader.eventCount < 3000 else { continue }
            note(reader, &harnesses)
        }
        return harnesses.keys.sorted().compactMap { harnesses[$0] }
    }()

    private static func note(_ reader: SessionReader, _ harnesses: inout [String: MachineHarness]) {
        let schema = IMSessionSchema()
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        let scanner = reader.makeScanner()
        while let view = try? scanner.next() {
            guard (try? replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)) != nil else {
                return
            }
            effects.removeAll()
            guard view.role == .input || view.role == .start, let machine = replay[view.node] else { continue }
            let profileAndPhase = "\(reader.header.profile) \(phase(of: machine))"
            guard harnesses[profileAndPhase] == nil else { continue }
            harnesses[profileAndPhase] = MachineHarness(
                name: profileAndPhase, profile: reader.header.profile, machine: machine, now: view.time,
                connections: connections(of: machine))
        }
    }

    private static func phase(of machine: NodeMachine) -> String {
        if let client = machine.client {
            let phase =
                switch client.phase {
                case .loggedOut: "logged out"
                case .attempting(_, _, let stage): "attempting \(stage)"
                case .waiting: "waiting"
                case .online: "online"
                case .leaving: "leaving"
                case .kicked: "kicked"
                case .tokenExpired: "token expired"
                case .paused: "paused"
                }
            return "client \(phase), link \(client.link?.isOpen.description ?? "none")"
        }
        let server = machine.server
        return "server with \(min(server?.connections.count ?? 0, 3)) connections, tree \(server?.tree.root != .null)"
    }

    private static func connections(of machine: NodeMachine) -> [ConnectionID] {
        if let client = machine.client { return [client.link?.id ?? client.nextConnection] }
        return (machine.server.map { Array($0.connections.keys.prefix(2)) } ?? []) + [ConnectionID(77)]
    }

    var dialect: any Dialect { Dialects.named(profile) ?? NIMDialect() }
}

/// Sends inputs to a machine and checks that each input is processed, that time advances, and that every event can be
/// recorded, decoded and shown.
struct MachineTrial {
    var machine: NodeMachine
    var now: Instant
    let formatter: EventFormatter
    let schema = IMSessionSchema()
    private(set) var fault: String?

    init(_ harness: MachineHarness) {
        machine = harness.machine
        now = harness.now
        formatter = EventFormatter(dialect: harness.dialect)
    }

    mutating func take(_ input: NodeInput) {
        var effects: [NodeEffect] = []
        tell(.input(input))
        machine.handle(input, at: now, into: &effects)
        if effects.count > 10_000 { fault = fault ?? "\(effects.count) effects of one input" }
        for effect in effects.prefix(200) { check(effect) }
    }

    /// Advances the time by some deadlines. Each deadline must be followed by a later one.
    mutating func wait(_ deadlines: Int) {
        for _ in 0..<deadlines {
            guard let next = machine.nextDeadline, next < .distantFuture else { return }
            now = max(now, next)
            take(.deadlineReached)
            if let after = machine.nextDeadline, after <= now {
                fault = fault ?? "a deadline at \(after.nanoseconds) after that at \(now.nanoseconds)"
                return
            }
        }
    }

    /// Checks that a keyframe can store the state.
    mutating func checkState() {
        do {
            let bytes = try schema.encodeState(machine)
            if try schema.encodeState(schema.decodeState(bytes)) != bytes { fault = fault ?? "another state" }
        } catch {
            fault = fault ?? "the state cannot be kept: \(error)"
        }
    }

    private mutating func check(_ effect: NodeEffect) {
        var draft = EventDraft()
        schema.encode(effect, into: &draft)
        let event = Event(
            number: 1, time: now, node: .session, channel: draft.channel, direction: draft.direction, role: .effect,
            stream: draft.stream, payload: draft.payload)
        event.withView { view in
            let read = SessionEvent(view, node: "phone", schema: schema)
            if case .unreadable(let why) = read.content { fault = fault ?? "\(effect) cannot be read back: \(why)" }
            _ = formatter.format(read)
            _ = read.facts
        }
        tell(.effect(effect))
    }

    private func tell(_ content: SessionEvent.Content) {
        let event = SessionEvent(number: 1, time: now, node: "phone", content: content)
        _ = formatter.format(event)
        _ = EventFields(event, formatted: formatter.format(event), formatter: formatter)["text"]
    }
}
