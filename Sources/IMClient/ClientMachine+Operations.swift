import IMProtocol
import SansIO

// What a user does on one device and the user's other devices are told of (CHAT-8, CHAT-9).

extension ClientMachine {
    mutating func operate(
        _ kind: OperationKind, target: String, ext: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.operations) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(target), ProtocolLimit.isText(ext, bytesMax: ProtocolLimit.extensionBytesMax) else {
            return complete(command, .invalidArgument, into: &effects)
        }
        let operation = DeviceOperation(id: makeID(), kind: kind, target: target, ext: ext)
        ask(.operation(operation), for: PendingRequest(command: command), at: now, into: &effects)
    }

    /// Another device of the account did something, now or while this one was away.
    mutating func operated(
        _ operation: DeviceOperation, on connection: ConnectionID, into effects: inout [ClientEffect]
    ) {
        let isNews = isNews(operation.number, into: &effects)
        effects.append(.send(connection, Frame(.operatedAck(id: operation.id, number: operation.number))))
        guard isNews else { return }
        var told = operation
        told.number = 0
        effects.append(.notify(.operated(told)))
    }
}
