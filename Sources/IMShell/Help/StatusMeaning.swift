import IMProtocol

/// The meaning of a status, and the advice for an app that receives it.
struct StatusMeaning {
    var meaning: String
    /// What the app should do; empty if it need not do anything.
    var advice: String

    init(_ meaning: String, _ advice: String = "") {
        self.meaning = meaning
        self.advice = advice
    }

    init(of status: Status) {
        self =
            switch status {
            case .ok: Self("success")
            case .wrongCredential:
                Self("the account or the credential is wrong", "get a new token, or ask for the password")
            case .credentialExpired: Self("the token has expired", "get a new token and log in again")
            case .banned: Self("an operator banned the account", "do not log in again; show the reason")
            case .loggedInElsewhere:
                Self(
                    "autologin was refused because another device used the account",
                    "ask the user, then log in manually or with force")
            case .rateLimited: Self("too many requests", "wait before the next one")
            case .invalidArgument: Self("an argument is not allowed", "check the arguments of the call")
            case .notLoggedIn: Self("the call needs a login", "log in first")
            case .forbidden: Self("the user may not do this", "check the user's role")
            case .notFound: Self("the named user, device, channel or key does not exist", "check the name")
            case .tooManyDevices:
                Self("the account has no free device slot", "log out another device, or log in manually")
            case .alreadyJoined: Self("the client is already in the channel", "do not join again")
            case .limitExceeded: Self("a limit of the service is reached", "'server policy' lists the limits")
            case .serverError: Self("the server failed", "try again later")
            case .unsupported: Self("the system has no such call", "check the feature list of the SDK")
            case .stored: Self("the message is stored for an offline receiver")
            case .deviceChanged:
                Self("autologin was refused because another device took the slot", "ask the user, then log in manually")
            case .channelRateLimited: Self("the same channel is requested too often", "wait before the next request")
            case .textTooLong: Self("the text is longer than allowed", "shorten the text")
            case .requestTooLarge: Self("the request is larger than allowed", "send less at once")
            case .valueTooLarge: Self("one value is larger than allowed", "shorten the value")
            case .accountLimit: Self("the server accepts no more accounts", "raise account-count-max")
            case .transactionStale: Self("the value changed before the transaction arrived", "the SDK runs it again")
            case .groupNotFound: Self("the group does not exist", "check the group's id")
            case .memberNotFound: Self("the user is not a member of the group", "check the user's id")
            case .conversationNotFound: Self("the conversation does not exist", "check the conversation's id and type")
            case .timeout:
                Self("no answer came in time", "the SDK retries a login; 'why' shows what prevented the answer")
            case .connectionFailed:
                Self("the connection could not be made, or it broke", "the SDK retries; do not log out")
            case .networkUnavailable: Self("the device has no network", "wait for the network")
            case .loginInProgress: Self("a login is running", "wait for its result")
            case .alreadyLoggedIn: Self("this user is already logged in", "do not log in again")
            case .otherUserLoggedIn: Self("another user is logged in", "log out first")
            case .autologinNotAllowed: Self("autologin is not allowed now", "log in manually")
            case .retryLimitReached: Self("the automatic retries are used up", "log in again")
            case .cancelled: Self("a later command or a logout cancelled the call")
            case .kicked: Self("a kick ended the login", "show the reason; log in again only if the user asks")
            case .protocolViolation: Self("the other end broke the protocol", "compare the versions of both ends")
            case .credentialTooShort: Self("the token expires too soon", "get a token with a longer life")
            case .offlineLoginNotAllowed:
                Self("offline login works only for the last user who logged in online", "log in online once")
            case .replacedByLogin: Self("another device logged in", "show it; log in again only if the user asks")
            case .accountRemoved: Self("the account was removed", "do not log in again")
            case .passwordChanged: Self("the password was changed", "ask for the new password")
            case .dataUnavailable: Self("the local data is damaged, locked or full", "check the device's storage")
            case .transactionRetries: Self("the value changed too often during a transaction", "try again later")
            case .transactionOverridden: Self("the app overwrote the value of its own transaction")
            case .callbackFailed:
                Self("a function of the app that the SDK calls has failed", "correct the app's provider")
            case .tooLate: Self("the setting must be made before any other call", "call it at the start of the app")
            }
    }
}
