import IMProtocol
import OrderedCollections
import SansIO

// What a user does on one device goes to the user's other devices, now or at their next login (CHAT-8, CHAT-9).

extension ServerMachine {
    mutating func operate(
        _ operation: DeviceOperation, user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard ProtocolLimit.isText(operation.id, bytesMax: 2 * ProtocolLimit.nameBytesMax), !operation.id.isEmpty,
            ProtocolLimit.isName(operation.target),
            ProtocolLimit.isText(operation.ext, bytesMax: ProtocolLimit.extensionBytesMax)
        else { return .invalidArgument }
        switch accounts[user]?.devices[device]?.taken.finding(operation.id) ?? .new {
        case .new: break
        case .taken: return .ok
        case .tooOld: return .limitExceeded
        }
        let others = (accounts[user]?.devices.keys ?? []).filter { $0 != device }
        // What is acknowledged reaches all of them, sooner or later (CHAT-8).
        for record in others.compactMap({ accounts[user]?.devices[$0] })
        where record.operations.count >= policy.messagesStoredMax && !isGivenUp(record, at: now) {
            return .limitExceeded
        }
        let (policy, clock) = (policy, wallClock(at: now))
        accounts[user]?.devices[device]?.taken.take(operation.id, policy)
        remove(by: operation, user: user)
        var told = operation
        told.device = device
        for id in others {
            told.number = accounts[user]?.devices[id]?.numbering.next(clock: clock) ?? 0
            accounts[user]?.devices[id]?.keep(told, policy)
            reach(user, device: id, .operated(told), into: &effects)
        }
        return .ok
    }

    /// What is removed from the server is nobody's any more: neither that of a device that has not fetched it yet, nor
    /// that of one which comes later (CHAT-9).
    private mutating func remove(by operation: DeviceOperation, user: String) {
        switch operation.kind {
        case .messagesRemoved, .conversationDelete: break
        default: return
        }
        func belongs(_ message: ChatMessage) -> Bool {
            message.from == operation.target || message.from == user && message.to == operation.target
        }
        accounts[user]?.inbox.removeAll(where: belongs)
        for id in accounts[user]?.devices.keys ?? [] {
            accounts[user]?.devices[id]?.inbox.removeAll(where: belongs)
        }
    }

    mutating func deliverOperations(
        to user: String, device: String, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.numberAll(clock: clock)
        for operation in accounts[user]?.devices[device]?.operations ?? [] {
            effects.append(.send(id, Frame(.operated(operation))))
        }
    }

    mutating func confirmOperation(_ number: UInt64, of user: String, device: String) {
        guard number != 0,
            let index = accounts[user]?.devices[device]?.operations.firstIndex(where: { $0.number == number })
        else { return }
        accounts[user]?.devices[device]?.operations.remove(at: index)
    }
}
