import Foundation
import IMClient
import IMProtocol
import IMServer
import SansIO
import SwiftProtobuf

// Converts inputs and effects to and from the records of a session file.

enum RecordCodec {
    /// The bytes of a record with an empty deadline. In a long session every fifth event is a deadline, so these fixed
    /// bytes are written and compared, which is faster than the protobuf library.
    static let deadline: [UInt8] = [7 << 3 | 2, 0]

    static func isDeadline(_ payload: UnsafeRawBufferPointer) -> Bool {
        payload.count == 2 && payload[0] == 7 << 3 | 2 && payload[1] == 0
    }

    static func bytes(of kind: WireRecord.OneOf_Kind) -> [UInt8] {
        var record = WireRecord()
        record.kind = kind
        // Encoding fails only if a required field is missing, and proto3 has no required fields.
        return (try? record.serializedBytes()) ?? []
    }

    static func record(_ payload: UnsafeRawBufferPointer) throws -> WireRecord.OneOf_Kind {
        guard let record = try? WireRecord(serializedBytes: Array(payload)), let kind = record.kind else {
            throw RecordError.unreadable("its record cannot be read")
        }
        return kind
    }

    static func frame(_ payload: UnsafeRawBufferPointer) throws -> Frame {
        do {
            return try Frame(bytes: payload)
        } catch {
            throw RecordError.unreadable(error.explanation)
        }
    }

    package static func value<Value: RawRepresentable>(_ number: UInt32, _ what: String) throws -> Value
    where Value.RawValue == UInt8 {
        guard let small = UInt8(exactly: number), let value = Value(rawValue: small) else {
            throw RecordError.unreadable("it has an unknown \(what): \(number)")
        }
        return value
    }
}

extension NodeInput {
    /// The connection that the input concerns; nil for none.
    public var connection: ConnectionID? {
        switch self {
        case .frame(let id, _), .unreadable(let id, _), .linkOpened(let id), .linkFailed(let id, _),
            .linkClosed(let id, _):
            id
        case .deadlineReached, .network, .app, .data, .clientCommand, .serverCommand: nil
        }
    }

    var isCommand: Bool {
        switch self {
        case .clientCommand, .serverCommand: true
        case .frame, .unreadable, .linkOpened, .linkFailed, .linkClosed, .deadlineReached, .network, .app, .data: false
        }
    }

    var record: WireRecord.OneOf_Kind {
        switch self {
        case .frame(_, let frame):
            // `IMSessionSchema` writes frames in their own encoding, so this record is never stored.
            .environment(.with { $0.command = frame.body.name })
        case .unreadable(_, let error): .unreadable(error.record)
        case .linkOpened: .link(.with { $0.what = .opened })
        case .linkFailed(_, let fault):
            .link(
                .with {
                    $0.what = .failed
                    $0.fault = UInt32(fault.rawValue)
                })
        case .linkClosed(_, let fault):
            .link(
                .with {
                    $0.what = .closed
                    $0.fault = UInt32(fault.rawValue)
                })
        case .deadlineReached: .deadline(WireDeadline())
        case .network(let change): .network(.with { $0.change = UInt32(change.rawValue) })
        case .app(let change): .app(change.record)
        case .data(let answer): .dataAnswer(answer.record)
        case .clientCommand(let id, let command): .clientCommand(command.record(id))
        case .serverCommand(let id, let command): .serverCommand(command.record(id))
        }
    }

    init(_ record: WireRecord.OneOf_Kind, connection: ConnectionID) throws {
        switch record {
        case .unreadable(let error): self = .unreadable(connection, FrameError(error))
        case .link(let link):
            switch link.what {
            case .opened: self = .linkOpened(connection)
            case .failed: self = .linkFailed(connection, try RecordCodec.value(link.fault, "link fault"))
            case .closed: self = .linkClosed(connection, try RecordCodec.value(link.fault, "link fault"))
            case .none, .connect, .close, .UNRECOGNIZED: throw RecordError.unreadable("its link event is not an input")
            }
        case .deadline: self = .deadlineReached
        case .network(let network): self = .network(try RecordCodec.value(network.change, "network change"))
        case .app(let app): self = .app(try AppChange(app))
        case .dataAnswer(let answer): self = .data(try DataAnswer(answer))
        case .clientCommand(let command):
            self = .clientCommand(CommandID(command.id), try ClientCommand(command))
        case .serverCommand(let command):
            self = .serverCommand(CommandID(command.id), try ServerCommand(command))
        case .start, .completion, .persist, .keep, .dataRequest, .notification, .transition, .presence, .environment:
            throw RecordError.unreadable("its record is not an input")
        }
    }
}

extension NodeEffect {
    /// The connection that the effect concerns; nil for none.
    public var connection: ConnectionID? {
        switch self {
        case .send(let id, _), .connect(let id), .closeLink(let id): id
        case .persist, .keep, .data, .complete, .notify, .transition, .presence: nil
        }
    }

    var record: WireRecord.OneOf_Kind {
        switch self {
        case .send(_, let frame): .environment(.with { $0.command = frame.body.name })
        case .connect: .link(.with { $0.what = .connect })
        case .closeLink: .link(.with { $0.what = .close })
        case .persist(let data): .persist(data.record)
        case .keep(let item): .keep(item.record)
        case .data(let request): .dataRequest(request.record)
        case .complete(let id, let completion): .completion(completion.record(id))
        case .notify(let notification): .notification(notification.record)
        case .transition(let change):
            .transition(
                .with {
                    $0.from = UInt32(change.from.rawValue)
                    $0.to = UInt32(change.to.rawValue)
                    $0.reason = UInt32(change.reason.rawValue)
                })
        case .presence(let user, let device, let change):
            .presence(
                .with {
                    $0.user = user
                    $0.device = device
                    $0.change = UInt32(change.rawValue)
                })
        }
    }

    init(_ record: WireRecord.OneOf_Kind, connection: ConnectionID) throws {
        switch record {
        case .link(let link):
            switch link.what {
            case .connect: self = .connect(connection)
            case .close: self = .closeLink(connection)
            case .none, .opened, .failed, .closed, .UNRECOGNIZED:
                throw RecordError.unreadable("its link event is not an effect")
            }
        case .persist(let data): self = .persist(try LocalData(data))
        case .keep(let item): self = .keep(try LocalItem(item))
        case .dataRequest(let request): self = .data(try DataRequest(request))
        case .completion(let completion):
            self = .complete(CommandID(completion.id), try Completion(completion))
        case .notification(let notification): self = .notify(try ClientNotification(notification))
        case .transition(let change):
            self = .transition(
                StateChange(
                    from: try RecordCodec.value(change.from, "state"), to: try RecordCodec.value(change.to, "state"),
                    reason: try RecordCodec.value(change.reason, "reason")))
        case .presence(let presence):
            self = .presence(
                user: presence.user, device: presence.device, try RecordCodec.value(presence.change, "presence"))
        case .start, .unreadable, .deadline, .network, .app, .dataAnswer, .clientCommand, .serverCommand, .environment:
            throw RecordError.unreadable("its record is not an effect")
        }
    }
}
