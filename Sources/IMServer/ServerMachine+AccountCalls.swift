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
        guard policy.hasAccountCalls else { return answer(.unsupported) }
        guard call.application == policy.profile else { return answer(.wrongCredential) }
        // An unknown user gets the same answer as a wrong credential: nobody learns who exists.
        let admission = admission(call.credential, user: call.user)
        guard admission == .ok else { return answer(admission) }
        guard let account = accounts[call.user] else { return answer(.wrongCredential) }
        guard !account.isBanned else { return answer(.banned) }
        let present = account.devices.values.filter { $0.login != nil }.map(\.device)
        switch call.action {
        case .listDevices: answer(.ok, present)
        case .kick(let device):
            guard present.contains(where: { $0.id == device }) else { return answer(.notFound) }
            // The answer first: the device that asks may be the one that goes.
            answer(.ok)
            endLogin(of: device, user: call.user, .otherDevice, by: nil, at: now, into: &effects)
        case .kickAll:
            answer(.ok)
            for device in present {
                endLogin(of: device.id, user: call.user, .otherDevice, by: nil, at: now, into: &effects)
            }
        }
    }
}
