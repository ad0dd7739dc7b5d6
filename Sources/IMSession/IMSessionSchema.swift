import Foundation
import IMClient
import IMProtocol
import IMServer
import Recorder
import SansIO
import SwiftProtobuf

/// Why the bytes of an event are not what its place says.
public enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in words.
    case unreadable(String)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unreadable(let what): what
        }
    }
}

/// How the machines of this project stand in a session file: frames as they are on the channel `transport`, a protobuf
/// record (`Protos/imsession/v1/record.proto`) on the others, states as canonical JSON.
public struct IMSessionSchema: SessionSchema {
    /// The clients and the server of a session.
    public typealias Subject = NodeMachine

    /// The name that each packet carries as its dissector.
    public let formatName = "imsession"
    /// Raised whenever a machine begins to answer the same inputs differently.
    public let behaviourVersion: UInt32 = 14

    /// A schema has no state.
    public init() {}

    /// Frames on `transport`, commands on `sdk`, all else on `runtime`; the stream is the connection's number.
    public func encode(_ input: NodeInput, into draft: inout EventDraft) {
        draft.stream = input.connection?.rawValue ?? 0
        switch input {
        case .frame(_, let frame):
            draft.channel = .transport
            draft.direction = .inbound
            frame.append(to: &draft.payload)
        case .deadlineReached:
            draft.direction = .inbound
            draft.payload.append(contentsOf: RecordCodec.deadline)
        default:
            draft.channel = input.isCommand ? .sdk : .runtime
            draft.direction = .inbound
            draft.payload = RecordCodec.bytes(of: input.record)
        }
    }

    /// Frames on `transport`, results and callbacks on `sdk`, all else on `runtime`; the stream is the connection's
    /// number.
    public func encode(_ effect: NodeEffect, into draft: inout EventDraft) {
        draft.stream = effect.connection?.rawValue ?? 0
        draft.direction = .outbound
        switch effect {
        case .send(_, let frame):
            draft.channel = .transport
            frame.append(to: &draft.payload)
        case .complete, .notify:
            draft.channel = .sdk
            draft.payload = RecordCodec.bytes(of: effect.record)
        case .connect, .closeLink, .persist, .keep, .data, .transition, .presence:
            draft.channel = .runtime
            draft.payload = RecordCodec.bytes(of: effect.record)
        }
    }

    /// Reads an input; throws ``RecordError`` for what is none.
    public func decodeInput(_ event: EventView) throws -> NodeInput {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .frame(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            if RecordCodec.isDeadline(event.payload) { return .deadlineReached }
            return try NodeInput(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// What an effect event says. Replays compare bytes; this is for people and for tools.
    public func decodeEffect(_ event: EventView) throws -> NodeEffect {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .send(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            return try NodeEffect(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// Makes the machine that a start event is of; one of an older version gets what it lacks from the defaults.
    public func makeSubject(from start: EventView) throws -> NodeMachine {
        try StartRecord(payload: Array(start.payload)).makeMachine()
    }

    /// The machine as canonical JSON: equal machines have equal bytes.
    public func encodeState(_ subject: NodeMachine) throws -> [UInt8] {
        try CanonicalJSON.encode(subject)
    }

    /// Reads a machine; throws ``RecordError`` for what is none, and for what no machine can have come to.
    public func decodeState(_ bytes: [UInt8]) throws -> NodeMachine {
        let machine = try CanonicalJSON.decode(NodeMachine.self, from: bytes)
        if let flaw = machine.flaw { throw RecordError.unreadable(flaw) }
        return machine
    }

    /// Node, kind, direction and facts in one line, without any vendor's words.
    public func describe(_ event: Event, node: String) -> String {
        let line = EventLine(event, node: node)
        return line.text
    }
}

/// JSON of which equal values have equal bytes: keys sorted, nothing escaped that need not be.
package enum CanonicalJSON {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try CanonicalWriter.encode(value)
    }

    /// The same for a field of a record; empty for what cannot be encoded, which none of our values is.
    static func data(of value: some Encodable) -> Data {
        Data((try? encode(value)) ?? [])
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw RecordError.unreadable("its JSON is not a \(type)")
        }
    }
}

/// Everything that a node's machine is made from.
public struct StartRecord: Hashable, Sendable {
    /// What kind of node it is, and what its machine begins with.
    public enum Body: Hashable, Sendable, Codable {
        /// `firstConnection` goes on where the app's last process was; without a `nonce` one follows from the seed.
        case client(
            policy: ClientPolicy, device: Device, local: LocalData, seed: UInt64, firstConnection: ConnectionID,
            nonce: UInt64?)
        /// The server as it was before its connections, so that a restart keeps its accounts.
        case server(ServerMachine)

        /// What no machine can begin with, in words; nil when there is nothing.
        var flaw: String? {
            switch self {
            case .client(let policy, _, _, _, _, _): policy.flaw
            case .server(let machine): machine.flaw
            }
        }

        /// Compares their canonical JSON.
        public static func == (left: Body, right: Body) -> Bool {
            (try? CanonicalJSON.encode(left)) == (try? CanonicalJSON.encode(right))
        }

        /// Feeds their canonical JSON.
        public func hash(into hasher: inout Hasher) {
            hasher.combine((try? CanonicalJSON.encode(self)) ?? [])
        }
    }

    /// The node's name; no other node of the session has it.
    public var name: String
    /// The profile that the node begins with.
    public var profile: String
    /// What the machine is made from.
    public var body: Body

    /// What a node begins with; nothing is checked.
    public init(name: String, profile: String, body: Body) {
        self.name = name
        self.profile = profile
        self.body = body
    }

    /// The machine in its first state; equal records make equal machines.
    public func makeMachine() -> NodeMachine {
        switch body {
        case .client(let policy, let device, let local, let seed, let firstConnection, let nonce):
            .client(
                ClientMachine(
                    policy: policy, device: device, local: local, seed: seed, firstConnection: firstConnection,
                    nonce: nonce))
        case .server(let machine): .server(machine)
        }
    }

    /// Reads what ``payload()`` wrote. Throws ``RecordError`` for anything else, and for a policy with numbers out of
    /// range.
    public init(payload: [UInt8]) throws {
        let record = try payload.withUnsafeBytes { try RecordCodec.record($0) }
        guard case .start(let start) = record else { throw RecordError.unreadable("it is no start") }
        self.init(
            name: start.name, profile: start.profile,
            body: try Body.read(Array(start.json)))
        if let flaw = body.flaw { throw RecordError.unreadable(flaw) }
    }

    /// The payload of the start event.
    public func payload() throws -> [UInt8] {
        let json = try CanonicalJSON.encode(body)
        return RecordCodec.bytes(
            of: .start(
                .with {
                    $0.name = name
                    $0.profile = profile
                    if case .server = body { $0.isServer = true }
                    $0.json = Data(json)
                }))
    }
}

extension StartRecord {
    /// Whether the node is the server.
    public var isServer: Bool {
        switch body {
        case .server: true
        case .client: false
        }
    }
}
