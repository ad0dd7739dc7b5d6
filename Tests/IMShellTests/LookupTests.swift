import Testing

@testable import IMDebugger
@testable import IMShell

/// Words from public threads, and a text that the answer must contain.
@Suite struct LookupTests {
    private static let words: [(word: String, answer: String)] = [
        // NetEase NIM
        ("302", "NIMRemoteErrorCodeInvalidPass(302)"), ("417", "NIM-4"), ("408", "the SDK retries"),
        ("415", "the SDK retries; do not log out"), ("416", "NIMRemoteErrorCodeFrequently(416)"),
        ("422", "an operator banned the account"), ("403", "NIMRemoteErrorCodeForbidden(403)"),
        ("419", "NIMRemoteErrorCodeBeyondLimit(419)"), ("315", "the IP address is restricted"),
        ("503", "the server is busy"), ("514", "NIMRemoteErrorCodeServiceUnavailable(514)"),
        ("102302", "V2NIM_ERROR_CODE_INVALID_TOKEN(102302)"), ("102422", "an operator banned the account"),
        ("192001", "the connection could not be made"), ("191005", "no answer came in time"),
        ("onKickout", "callback onKick"), ("onAutoLoginFailed", "NIM-6"), ("onKickedOffline", "CLIENT_EXCLUSIVE(1)"),
        ("NIMLoginStepLoseConnection", "a value of step in the callback onLogin"),
        ("forceMode", "forceMode counts as false in a reconnect"), ("retryCount", "retryCount is 3"),
        // ZEGO ZIM
        ("6000121", "the call needs a login"), ("6000111", "a login is running"), ("6000106", "the token has expired"),
        ("6000101", "ZIMErrorCodeNetworkModuleCommonError(6000101)"), ("6000103", "get a new token"),
        ("6000104", "ZIMErrorCodeNetworkModuleNetworkError(6000104)"), ("6000107", "a token of a wrong version"),
        ("6000009", "the connection broke during the request"),
        ("6000123", "a login as another user without a logout"), ("6000124", "ZIM-1"),
        ("onConnectionStateChanged", "ZIMConnectionStateReconnecting(3)"),
        ("ZIMConnectionEventKickedOut", "a value of event"), ("messageReceivedWithResult", "ZEGO ZIM 3"),
        // Agora Chat, Easemob
        ("200", "AgoraChatErrorUserAlreadyLoginSame(200)"), ("202", "CHAT-10"),
        ("206", "another device used the account"),
        ("207", "the account was removed"), ("214", "CHAT-3"), ("216", "the password was changed"),
        ("217", "a kick ended the login"), ("218", "log out first"), ("220", "another device took the slot"),
        ("300", "the server cannot be reached"), ("303", "AgoraChatErrorServerUnknownError(303)"),
        ("305", "an operator banned the account"), ("108", "the token has expired"),
        ("104", "the token is empty or wrong"),
        ("EMErrorUserLoginOnAnotherDevice", "AgoraChatErrorUserLoginOnAnotherDevice(206)"),
        ("EMErrorServerNotReachable", "the SDK reconnects by itself"),
        ("USER_ALREADY_LOGIN", "AgoraChatErrorUserAlreadyLoginSame(200)"),
        ("USER_NOT_LOGIN", "AgoraChatErrorUserNotLogin(201)"), ("onDatabaseOpened", "callback onDatabaseOpened"),
        ("userAccountDidForcedToLogout", "callback userAccountDidForcedToLogout"),
        // Agora RTM
        ("8", "AgoraRtmLoginErrorAlreadyLogin(8)"), ("102", "AgoraRtmLogoutErrorNotLoggedIn(102)"),
        ("LOGIN_ERR_INVALID_TOKEN", "AgoraRtmLoginErrorInvalidToken(5)"),
        ("CONNECTION_STATE_ABORTED", "AgoraRtmConnectionStateAborted"),
        ("CONNECTION_CHANGE_REASON_REMOTE_LOGIN", "AgoraRtmConnectionChangeReasonRemoteLogin(8)"),
        ("onTokenExpired", "callback rtmKitTokenDidExpire"), ("-10012", "AgoraRtmErrorLoginRejected(-10012)"),
        ("-10009", "the token has expired"), ("RTM_ERROR_INVALID_TOKEN", "AgoraRtmErrorInvalidToken(-10005)"),
        ("didReceiveLinkStateEvent", "AgoraRtmLinkStateFailed(5)"),
        ("RTM_LINK_STATE_CHANGE_REASON_SAME_UID_LOGIN", "AgoraRtmLinkStateChangeReasonSameUidLogin(27)"),
        // Wilddog, Firebase
        ("26101", "PermissionDenied(26101)"), ("26801", "TokenExpired(26801)"), ("26107", "too many connections"),
        ("permission_denied", "PermissionDenied(26101)"), (".info/connected", "valueChanged"),
        ("overriddenBySet", "OverriddenBySet(26204)"), ("onDisconnect", "when a connection ends"),
    ]

    @Test(arguments: words) func `words from public threads are explained`(_ word: String, _ answer: String) throws {
        let text = try HelpText(table: .shell).text(for: [word]).split { $0 == " " || $0 == "\n" }
            .joined(separator: " ")
        #expect(text.contains(answer), "\(word)")
    }

    @Test func `an unknown word is reported with the nearest one`() {
        #expect(throws: WordError(0, "unknown word '6000199'", hint: "did you mean 'help 6000009'?")) {
            try HelpText(table: .shell).text(for: ["6000199"])
        }
    }
}
