import IMProtocol
import OrderedCollections
import SansIO

// Listing and ending the logins of an account with a credential, without being logged in (CHAT-6).

extension ServerMachine {
    mutating func answer(
        _ call: AccountCall, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status, _ devices: [Device] = []) {
            effects.append(.send(id, Frame(request: request, .accountCallAck(status, devices))))
        }
        answer(.unsupported)
    }
}
