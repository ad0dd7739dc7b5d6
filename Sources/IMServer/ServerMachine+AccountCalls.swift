import IMProtocol
import OrderedCollections
import SansIO

// Admin calls: a client lists or ends the logins of an account with a credential, without logging in (CHAT-6).

extension ServerMachine {
    mutating func answer(
        _ call: AccountCall, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status, _ devices: [Device] = []) {
            let pages = FramePages.split(devices).map { FrameBody.accountCallAck(status, $0) }
            for frame in FramePages.frames(request: request, pages) { effects.append(.send(id, frame)) }
        }
        guard policy.hasAccountCalls else { return answer(.unsupported) }
        guard call.application == policy.profile else { return answer(.wrongCredential) }
        let status = proof(call.credential, of: call.user).status
        guard !isTooOften(call, showing: status, at: now) else { return answer(.rateLimited) }
        guard status == .ok else { return answer(status) }
        guard let account = accounts[call.user] else { return answer(.notFound) }
        guard !account.isBanned else { return answer(.banned) }
        if let refusal = account.refusal { return answer(refusal) }
        switch call.action {
        case .listDevices: answer(.ok, account.devices.values.filter { $0.login != nil }.map(\.device))
        case .kick(let device):
            guard account.devices[device]?.hasLogin == true else { return answer(.notFound) }
            // The answer is sent first, because the kick may end the connection of the calling device.
            answer(.ok)
            endLogin(of: device, user: call.user, .otherDevice, by: nil, at: now, into: &effects)
        case .kickAll:
            answer(.ok)
            for device in account.devices.keys {
                endLogin(of: device, user: call.user, .otherDevice, by: nil, at: now, into: &effects)
            }
        }
    }
}
