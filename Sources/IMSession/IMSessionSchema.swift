import Foundation
import IMClient
import IMProtocol
import IMServer
import Recorder
import SansIO
import SwiftProtobuf

/// The reason why the bytes of an event cannot be decoded.
public enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a text.
    case unreadable(String)

    /// The reason, as a text.
    public var description: String {
        switch self {
        case .unreadable(let what): what
        }
    }
}

/// The encoding of this project's machines in a session file: frames in their protocol encoding on the channel
/// `transport`, a protobuf record (`Protos/imsession/v1/record.proto`) on the other channels, states as canonical JSON.
public struct IMSessionSchema: SessionSchema {
    /// The clients and the server of a session.
    public typealias Subject = NodeMachine

    /// The name of the dissector in each packet.
    public let formatName = "imsession"
    /// Increased whenever a machine's effects of the same inputs change.
    public let behaviourVersion: UInt32 = 14

    /// Creates a schema; it has no state.
    public init() {}

    /// Frames on `transport`, commands on `sdk`, all others on `runtime`; the stream is the connection's number.
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

    /// Frames on `transport`, results and callbacks on `sdk`, all others on `runtime`; the stream is the connection's
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

    /// Reads an input; throws ``RecordError`` if the event is not one.
    public func decodeInput(_ event: EventView) throws -> NodeInput {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .frame(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            if RecordCodec.isDeadline(event.payload) { return .deadlineReached }
            return try NodeInput(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// Reads an effect. Replays compare bytes; this is for display and for tools.
    public func decodeEffect(_ event: EventView) throws -> NodeEffect {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .send(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            return try NodeEffect(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// Makes the machine of a start event; missing values of an older version get their defaults.
    public func makeSubject(from start: EventView) throws -> NodeMachine {
        try StartRecord(payload: Array(start.payload)).makeMachine()
    }

    /// The machine as canonical JSON: equal machines have equal bytes.
    public func encodeState(_ subject: NodeMachine) throws -> [UInt8] {
        try CanonicalJSON.encode(subject)
    }

    /// Reads a machine; throws ``RecordError`` if it is not one, or is in an impossible state.
    public func decodeState(_ bytes: [UInt8]) throws -> NodeMachine {
        let machine = try CanonicalJSON.decode(NodeMachine.self, from: bytes)
        if let validationError = machine.validationError { throw RecordError.unreadable(validationError) }
        return machine
    }

    /// Node, kind, direction and facts in one line, without vendor names.
    public func describe(_ event: Event, node: String) -> String {
        let line = EventLine(event, node: node)
        return line.text
    }
}

/// JSON in which equal values have equal bytes: keys sorted, only necessary escapes.
package enum CanonicalJSON {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try CanonicalWriter.encode(value)
    }

    /// The bytes for a field of a record; empty if encoding fails, which happens for none of our values.
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

/// The initial values of a node's machine.
public struct StartRecord: Hashable, Sendable {
    /// The kind of node, and the initial values of its machine.
    public enum Body: Hashable, Sendable, Codable {
        /// `firstConnection` continues the numbers of the app's last process; a nil `nonce` is derived from the seed.
        case client(
            policy: ClientPolicy, device: Device, local: LocalData, seed: UInt64, firstConnection: ConnectionID,
            nonce: UInt64?)
        /// The server's state without connections, so that a restart keeps its accounts.
        case server(ServerMachine)

        /// The reason why no machine can start from it; nil if one can.
        var validationError: String? {
            switch self {
            case .client(let policy, _, _, _, _, _): policy.validationError
            case .server(let machine): machine.validationError
            }
        }

        /// Compares the canonical JSON.
        public static func == (left: Body, right: Body) -> Bool {
            (try? CanonicalJSON.encode(left)) == (try? CanonicalJSON.encode(right))
        }

        /// Hashes the canonical JSON.
        public func hash(into hasher: inout Hasher) {
            hasher.combine((try? CanonicalJSON.encode(self)) ?? [])
        }
    }

    /// The node's name, unique in the session.
    public var name: String
    /// The profile with which the node starts.
    public var profile: String
    /// The initial values of the machine.
    public var body: Body

    /// The initial values of a node; nothing is checked.
    public init(name: String, profile: String, body: Body) {
        self.name = name
        self.profile = profile
        self.body = body
    }

    /// The machine in its initial state; equal records make equal machines.
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

    /// Reads the bytes of ``payload()``. Throws ``RecordError`` for any other bytes, and for a policy with numbers out
    /// of range.
    public init(payload: [UInt8]) throws {
        let record = try payload.withUnsafeBytes { try RecordCodec.record($0) }
        guard case .start(let start) = record else { throw RecordError.unreadable("it is not a start event") }
        self.init(
            name: start.name, profile: start.profile,
            body: try Body.read(Array(start.json)))
        if let validationError = body.validationError { throw RecordError.unreadable(validationError) }
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
    /// True if the node is the server.
    public var isServer: Bool {
        switch body {
        case .server: true
        case .client: false
        }
    }
}
