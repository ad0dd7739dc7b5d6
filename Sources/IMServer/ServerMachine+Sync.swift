import IMProtocol
import OrderedCollections
import SansIO

// What a client fetches after a login (NIM-14, CHAT-12).

extension ServerMachine {
    /// Things of one phase that an account may have.
    static let syncItemCountMax = 1000

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
            effects.append(
                .send(
                    id, Frame(request: request, .syncPhase(phase, count: UInt32(clamping: items.count), items: items))))
        }
        effects.append(.send(id, Frame(request: request, .syncDone)))
        deliverStored(to: user, device: device, on: id, into: &effects)
    }
}
