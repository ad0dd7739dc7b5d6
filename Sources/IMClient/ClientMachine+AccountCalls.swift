import IMProtocol
import SansIO

// Calls with a credential of their own: listing and ending the logins of an account without being logged in (CHAT-6).

/// A call from outside a login that is under way over a link of its own.
struct PendingAccountCall: Hashable, Sendable, Codable {
    var command: CommandID
    var call: AccountCall
    /// 0 until it has been sent.
    var number: UInt32 = 0
}

extension ClientMachine {
    mutating func beginAccountCall(
        _ action: AccountCall.Action, user: String, credential: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        complete(command, .unsupported, into: &effects)
    }

    mutating func accountCallAnswered(
        _ number: UInt32, _ status: Status, _ devices: [Device], into effects: inout [ClientEffect]
    ) {
    }

    /// Ends the call from outside, if one is under way, and its link.
    mutating func endAccountCall(_ status: Status, into effects: inout [ClientEffect]) {
    }
}
