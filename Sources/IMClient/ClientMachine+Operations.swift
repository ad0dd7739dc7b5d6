import IMProtocol
import SansIO

// Operations of a user on one device, which the server reports to the user's other devices (CHAT-8, CHAT-9).

extension ClientMachine {
    mutating func operate(
        _ kind: OperationKind, target: String, ext: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.operations) else { return effects.complete(command, .unsupported) }
        guard ProtocolLimit.isName(target), ProtocolLimit.isText(ext, bytesMax: ProtocolLimit.extensionBytesMax) else {
            return effects.complete(command, .invalidArgument)
        }
        let operation = DeviceOperation(id: makeID(), kind: kind, target: target, ext: ext)
        sendRequest(.operation(operation), for: PendingRequest(command: command), at: now, into: &effects)
    }

    /// Handles an operation that the user has done on another device. The operation may be older, if this device was
    /// offline. An operation that arrives twice is delivered to the app once.
    mutating func handleOperation(
        _ operation: DeviceOperation, on connection: ConnectionID, into effects: inout [ClientEffect]
    ) {
        let isFirstDelivery = isFirstDelivery(operation.number, into: &effects)
        effects.append(.send(connection, Frame(.operatedAck(id: operation.id, number: operation.number))))
        guard isFirstDelivery else { return }
        var delivered = operation
        delivered.number = 0
        effects.append(.notify(.operated(delivered)))
    }
}
