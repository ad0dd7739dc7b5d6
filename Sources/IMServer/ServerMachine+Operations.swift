import IMProtocol
import OrderedCollections
import SansIO

// Operations: the server reports an operation that a user makes on one device to the user's other devices, at once or
// at their next login (CHAT-8, CHAT-9).

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
        guard hasRoom(for: 1, of: user, besides: device, at: now) else { return .limitExceeded }
        var isForwarded = true
        var operation = operation
        operation.isOfGroup = false
        if policy.hasUserData && policy.tellsOperations {
            switch meaning(of: operation, by: user) {
            case .refused(let status): return status
            case .change(let requested):
                let change = requested.stamped(wallClock(at: now), &messageNumbering, &messageTimes)
                operation.isOfGroup = change.isOfGroupConversation
                // An operation that changes nothing is not sent to the other devices.
                isForwarded = !operations(of: change, by: user).isEmpty
                let status = isForwarded ? make(change, by: user, device: device, at: now, into: &effects) : .ok
                guard status == .ok else { return status }
            }
        } else {
            remove(by: operation, user: user)
        }
        let policy = policy
        accounts[user]?.devices[device]?.taken.take(operation.id, policy)
        if isForwarded { notify(operation, of: user, besides: device, at: now, into: &effects) }
        return .ok
    }

    /// True if all of the user's other devices have room for this number of operations. Otherwise the operation is
    /// refused, because an acknowledged operation must reach all of them (CHAT-8).
    func hasRoom(for count: Int, of user: String, besides device: String, at now: Instant) -> Bool {
        guard count > 0, let devices = accounts[user]?.devices else { return true }
        return devices.allSatisfy { id, record in
            id == device || record.operations.count + count <= policy.messagesStoredMax || isGivenUp(record, at: now)
        }
    }

    /// Sends an operation to the user's other devices.
    mutating func notify(
        _ operation: DeviceOperation, of user: String, besides device: String, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let (policy, clock) = (policy, wallClock(at: now))
        var copy = operation
        copy.device = device
        for id in accounts[user]?.devices.keys ?? [] where id != device {
            copy.number = accounts[user]?.devices[id]?.numbering.next(clock: clock) ?? 0
            accounts[user]?.devices[id]?.keep(copy, policy)
            sendOrPush(user, device: id, .operated(copy), at: now, into: &effects)
        }
    }

    /// Removes the waiting messages that an operation removes from the server. Then no device receives them (CHAT-9).
    private mutating func remove(by operation: DeviceOperation, user: String) {
        switch operation.kind {
        case .messagesRemoved, .conversationDelete:
            accounts[user]?.removeWaiting { $0.isOf(operation.target, user: user) }
        default: break
        }
    }

    mutating func deliverOperations(
        to user: String, device: String, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        for operation in unconfirmedOperations(of: user, device: device, at: now) {
            effects.append(.send(id, Frame(.operated(operation))))
        }
    }

    /// The operations that a device has not confirmed, with their numbers.
    mutating func unconfirmedOperations(of user: String, device: String, at now: Instant) -> [DeviceOperation] {
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.numberAll(clock: clock)
        return accounts[user]?.devices[device]?.operations ?? []
    }

    mutating func confirmOperation(_ number: UInt64, of user: String, device: String) {
        guard number != 0,
            let index = accounts[user]?.devices[device]?.operations.firstIndex(where: { $0.number == number })
        else { return }
        accounts[user]?.devices[device]?.operations.remove(at: index)
        endPushIfConfirmed(by: device, of: user)
    }
}
