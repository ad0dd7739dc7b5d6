import IMProtocol
import OrderedCollections
import SansIO

// What a client fetches after a login (NIM-14, CHAT-12).

extension ServerMachine {
    /// Things of one phase that an account may have.
    static let syncItemCountMax = 1000
    /// Things in one frame; more go out in several, none of which is larger than a frame may be.
    static let syncItemsPerFrame = 100

    /// Makes things for the account's next sync. Their ids go on from those that are there.
    mutating func populate(_ user: String, _ amounts: [SyncAmount]) -> Status {
        guard accounts[user] != nil else { return .notFound }
        for amount in amounts {
            let present = accounts[user]?.syncItems[amount.phase]?.count ?? 0
            guard amount.count >= 0, amount.count <= ServerMachine.syncItemCountMax - present else {
                return .limitExceeded
            }
        }
        for amount in amounts {
            let present = accounts[user]?.syncItems[amount.phase]?.count ?? 0
            let new = (0..<amount.count).map { index in
                let number = present + index + 1
                return SyncItem(
                    id: "\(amount.phase.name)-\(number)", text: "\(amount.phase.name) \(number) of \(user)")
            }
            accounts[user]?.syncItems[amount.phase, default: []] += new
        }
        return .ok
    }

    mutating func sync(
        user: String, device: String, request: UInt32, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        for phase in SyncPhase.allCases {
            let items = accounts[user]?.syncItems[phase] ?? []
            // Messages that waited for the device come in their phase, each as a message of its own.
            let waiting = phase == .offlineMessages ? waitingMessages(of: user, device: device) : 0
            let count = UInt32(clamping: items.count + waiting)
            // A phase that brings nothing is there all the same.
            for start in stride(from: 0, to: max(items.count, 1), by: ServerMachine.syncItemsPerFrame) {
                let part = Array(items.dropFirst(start).prefix(ServerMachine.syncItemsPerFrame))
                effects.append(.send(id, Frame(request: request, .syncPhase(phase, count: count, items: part))))
            }
            if phase == .offlineMessages { deliverStored(to: user, device: device, on: id, into: &effects) }
        }
        effects.append(.send(id, Frame(request: request, .syncDone)))
    }
}
