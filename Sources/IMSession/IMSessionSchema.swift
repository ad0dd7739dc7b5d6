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

/// The encoding of this project's machines in a session file. The channel `transport` contains frames in their protocol
/// encoding. The other channels contain protobuf records (`Protos/imsession/v1/record.proto`). States are canonical
/// JSON.
public struct IMSessionSchema: SessionSchema {
    /// The clients and the server of a session.
    public typealias Subject = NodeMachine

    /// The name in each packet by which Wireshark finds the dissector.
    public let formatName = "imsession"
    /// The version of the machines' behaviour. It is increased whenever a machine gives other effects for the same
    /// inputs.
    public let behaviourVersion: UInt32 = 14

    /// Creates a schema; it has no state.
    public init() {}

    /// Encodes an input: a frame on the channel `transport`, a command on `sdk`, any other input on `runtime`. The
    /// stream is the connection's number.
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

    /// Encodes an effect: a frame on the channel `transport`, a result or a callback on `sdk`, any other effect on
    /// `runtime`. The stream is the connection's number.
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

    /// Reads an input.
    ///
    /// - Throws: ``RecordError`` if the event is not an input.
    public func decodeInput(_ event: EventView) throws -> NodeInput {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .frame(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            if RecordCodec.isDeadline(event.payload) { return .deadlineReached }
            return try NodeInput(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// Reads an effect, for display and for tools. A replay compares the bytes of effects instead.
    ///
    /// - Throws: ``RecordError`` if the event is not an effect.
    public func decodeEffect(_ event: EventView) throws -> NodeEffect {
        let connection = ConnectionID(event.stream)
        switch event.channel {
        case .transport: return .send(connection, try RecordCodec.frame(event.payload))
        case .sdk, .runtime:
            return try NodeEffect(try RecordCodec.record(event.payload), connection: connection)
        }
    }

    /// Makes the machine that a start event describes. Values that the event of an older version lacks get their
    /// defaults.
    ///
    /// - Throws: ``RecordError`` if the event is not a start event.
    public func makeSubject(from start: EventView) throws -> NodeMachine {
        try StartRecord(payload: Array(start.payload)).makeMachine()
    }

    /// The state of the machine as canonical JSON. Equal machines have equal bytes.
    public func encodeState(_ subject: NodeMachine) throws -> [UInt8] {
        try CanonicalJSON.encode(subject)
    }

    /// Reads the state of a machine.
    ///
    /// - Throws: ``RecordError`` if the bytes are not a machine, or if the state is impossible.
    public func decodeState(_ bytes: [UInt8]) throws -> NodeMachine {
        let machine = try CanonicalJSON.decode(NodeMachine.self, from: bytes)
        if let validationError = machine.validationError { throw RecordError.unreadable(validationError) }
        return machine
    }

    /// The event in one line: node, kind, direction and fields, without the vendor's names.
    public func describe(_ event: Event, node: String) -> String {
        let decoded = event.withView { SessionEvent($0, node: node, schema: self) }
        let facts = decoded.facts.map { "\($0.name)=\($0.value)" }
        return ([node, decoded.kind, decoded.direction].compactMap { $0 } + facts).joined(separator: " ")
    }

    /// The payload of an environment event.
    public static func environment(_ action: EnvironmentAction) -> [UInt8] {
        RecordCodec.bytes(of: .environment(.with { $0.command = action.command }))
    }
}

/// JSON in which equal values have equal bytes: the keys are sorted, and only necessary escapes are used.
package enum CanonicalJSON {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try CanonicalWriter.encode(value)
    }

    /// The encoded value, for a field of a record. Empty if encoding fails, but no value of this project fails.
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

/// The content of a start event: the initial values of a node's machine.
public struct StartRecord: Hashable, Sendable {
    /// The kind of node, and the initial values of its machine.
    public enum Body: Hashable, Sendable, Codable {
        /// The initial values of a client. `firstConnection` continues the connection numbers of the app's last
        /// process. If `nonce` is nil, it is derived from the seed.
        case client(
            policy: ClientPolicy, device: Device, local: LocalData, seed: UInt64, firstConnection: ConnectionID,
            nonce: UInt64?)
        /// The initial state of a server. After a restart it contains the accounts, but no connections.
        case server(ServerMachine)

        /// The reason why no machine can start from these values; nil if a machine can.
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

        /// Hashes the canonical JSON, which `==` compares too.
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

    /// Creates a record without checking the values.
    public init(name: String, profile: String, body: Body) {
        self.name = name
        self.profile = profile
        self.body = body
    }

    /// Makes the machine in its initial state. Equal records make equal machines.
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

    /// Reads the bytes that ``payload()`` returns.
    ///
    /// - Throws: ``RecordError`` for any other bytes, and for a policy with a number out of range.
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
                    $0.isServer = isServer
                    $0.json = Data(json)
                }))
    }

    /// True if the node is the server.
    public var isServer: Bool { if case .server = body { true } else { false } }
}
