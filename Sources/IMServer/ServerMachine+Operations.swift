import IMProtocol
import OrderedCollections
import SansIO

// What a user does on one device goes to the user's other devices, now or at their next login (CHAT-8, CHAT-9).

extension ServerMachine {
    mutating func operate(
        _ operation: DeviceOperation, user: String, device: String, into effects: inout [ServerEffect]
    ) -> Status {
        guard ProtocolLimit.isText(operation.id, bytesMax: 2 * ProtocolLimit.nameBytesMax), !operation.id.isEmpty,
            ProtocolLimit.isName(operation.target),
            ProtocolLimit.isText(operation.ext, bytesMax: ProtocolLimit.extensionBytesMax)
        else { return .invalidArgument }
        var told = operation
        told.device = device
        for id in accounts[user]?.devices.keys ?? [] where id != device {
            accounts[user]?.devices[id]?.operations.append(told)
            let excess = (accounts[user]?.devices[id]?.operations.count ?? 0) - policy.messagesStoredMax
            if excess > 0 { accounts[user]?.devices[id]?.operations.removeFirst(excess) }
            reach(user, device: id, .operated(told), into: &effects)
        }
        return .ok
    }

    func deliverOperations(
        to user: String, device: String, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        for operation in accounts[user]?.devices[device]?.operations ?? [] {
            effects.append(.send(id, Frame(.operated(operation))))
        }
    }

    mutating func confirmOperation(_ operation: String, of user: String, device: String) {
        accounts[user]?.devices[device]?.operations.removeAll { $0.id == operation }
    }
}
