import IMClient
import IMProfiles
import IMProtocol
import Testing

/// Tests that an event has the same code in its callback and in the results of calls.
@Suite struct SameCodeTests {
    private let logins: [CallKind] = [.login, .autologin]

    /// The code in the callback for a notification; nil for a callback without a code.
    private func code(_ notification: ClientNotification, _ dialect: any Dialect) -> String? {
        dialect.callback(for: .notify(notification))?.fields.first { ["code", "error"].contains($0.name) }?.value
    }

    @Test("CHAT-10: a login that a kick ends has the code of the kick's callback", arguments: KickReason.allCases)
    func kicks(_ reason: KickReason) {
        let chat = AgoraChatDialect()
        let callbackCode = code(.kicked(KickNotice(reason: reason, epoch: 1)), chat)
        #expect(callbackCode != nil)
        for call in CallKind.allCases { #expect(chat.code(for: reason.status, of: call).description == callbackCode) }
    }

    @Test("CHAT-10: each kick has the vendor's number")
    func numbers() {
        let numbers = KickReason.allCases.map { AgoraChatDialect().code(for: $0.status, of: .autologin).number }
        #expect(numbers == [206, 217, 217, 305, 207, 216])
    }

    @Test(
        "NIM-6 CHAT-10: a failed login has the code of its callback",
        arguments: Dialects.all.map(\.profile), Status.allCases)
    func failures(_ profile: String, _ status: Status) throws {
        let dialect = try #require(Dialects.named(profile))
        for notification in [ClientNotification.autologinFailed(status), .autologinCompleted(status)] {
            guard let callbackCode = code(notification, dialect) else { continue }
            for call in logins { #expect(callbackCode == dialect.code(for: status, of: call).description) }
        }
        if status == .credentialExpired, let callbackCode = code(.tokenExpired, dialect) {
            #expect(callbackCode == dialect.code(for: status, of: .login).description)
        }
    }

    @Test(
        "RTM-7: a login that a ban ends is refused, one that another login ends is not",
        arguments: [
            (KickReason.banned, 2), (.accountRemoved, 2), (.passwordChanged, 5), (.otherLogin, 1), (.server, 1),
        ])
    func rtmLogin(_ reason: KickReason, _ number: Int) {
        #expect(AgoraRTMDialect().code(for: reason.status, of: .login).number == number)
    }
}
