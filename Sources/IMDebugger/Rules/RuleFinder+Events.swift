import IMClient
import IMProtocol
import IMServer

// Finds the rule that explains a callback or the result of a command.

extension RuleFinder {
    /// Facts about the chain of causes of an event. They decide which rule applies to the event.
    struct Circumstances {
        /// True if a kick is in the chain.
        var hasKick = false
        /// True if the event follows a reconnect, and its content had waited on the server until then.
        var isAfterReturn = false
        /// True if the end of a connection, or of the server's process, caused the event.
        var isEndOfConnection = false
        /// True if the server's process ended. This runs the onDisconnect operations and makes every client reconnect.
        var isServerStop = false
        /// True if a retry timer is in the chain.
        var isRetry = false
        /// True if the device woke or its network returned, so that the client tried again without waiting for its
        /// retry timer.
        var isImmediateRetry = false
    }

    // MARK: Callbacks

    /// Returns the rule of a callback; nil if no rule applies. Also nil for a kick, because the rule of a kick depends
    /// on its cause.
    func rule(of notification: ClientNotification, _ circumstances: Circumstances) -> DecidingRule? {
        switch notification {
        case .loginStep(let step): profile == "nim" ? rule(of: step, circumstances) : nil
        case .autologinFailed(let status), .autologinCompleted(let status): rule(ofAutologin: status)
        case .kicked: nil
        case .devicesChanged: named(nim: "NIM-13", chat: "CHAT-8")
        case .messageReceived:
            named(
                zim: circumstances.isAfterReturn ? "ZIM-10" : nil, chat: "CHAT-8",
                rtm: circumstances.isAfterReturn ? "RTM-8" : nil)
        case .memberChanged: named(rtm: "RTM-4")
        case .tokenExpired, .tokenWillExpire:
            named(nim: "C-10", zim: "ZIM-6", chat: "CHAT-10", rtm: "RTM-5", wilddog: "C-10")
        case .syncStarted, .syncFinished, .synced: named(nim: "NIM-14", zim: "C-13", chat: "CHAT-12")
        case .operated(let operation):
            switch operation.kind {
            case .conversationDelete, .messagesRemoved: named(chat: "CHAT-9")
            default: named(chat: "CHAT-8")
            }
        case .presence: named(zim: "ZIM-5", rtm: "RTM-4", wilddog: "SYNC-9")
        case .treeValue(let path, _, _): rule(ofPath: path, circumstances)
        case .treeChild: rule(ofPath: "", circumstances)
        case .treeCancelled: nil
        case .dataSync: named(zim: "ZIM-3")
        case .dataProgress: named(zim: "ZIM-9")
        case .dataChanged: named(zim: "ZIM-9")
        case .linkChanged: named(nim: "NIM-9", rtm: "RTM-10")
        case .dataOpened: named(chat: "C-13")
        case .replaced: DecidingRule("C-6")
        }
    }

    private func rule(of step: LoginStep, _ circumstances: Circumstances) -> DecidingRule {
        switch step {
        case .connectionLost, .networkChanged, .linkFailed, .loginFailed: DecidingRule("NIM-9")
        case .syncing, .syncOK: DecidingRule("NIM-14")
        case .linking, .linkOK, .authenticating, .loginOK:
            DecidingRule(circumstances.isImmediateRetry ? "C-9" : circumstances.isRetry ? "NIM-5" : "NIM-1")
        }
    }

    private func rule(ofAutologin status: Status) -> DecidingRule? {
        switch status {
        case .ok: named(nim: "NIM-1", chat: "CHAT-1")
        case .retryLimitReached: named(nim: "NIM-6")
        case .tooManyDevices, .deviceChanged: named(nim: "NIM-7", chat: "CHAT-3")
        default: named(nim: "NIM-7", chat: "CHAT-10")
        }
    }

    private func rule(ofPath path: String, _ circumstances: Circumstances) -> DecidingRule? {
        if path.hasPrefix(".info") || path.hasPrefix("/.info") { return named(wilddog: "SYNC-5") }
        if circumstances.isEndOfConnection { return named(wilddog: "SYNC-6") }
        return circumstances.isAfterReturn && !circumstances.isServerStop ? named(wilddog: "SYNC-10") : nil
    }

    /// The rule that sets the delays between attempts.
    var retryRule: DecidingRule { named(nim: "NIM-5", rtm: "RTM-3") ?? DecidingRule("C-9") }

    // MARK: Results

    /// The rule of a command's result; nil if no rule applies.
    ///
    /// - Parameter policy: the server's policy when it answered; nil if it did not answer.
    func rule(
        ofResult status: Status, of command: ClientCommand, _ policy: ServerPolicy?, _ circumstances: Circumstances
    ) -> DecidingRule? {
        if status == .rateLimited || status == .channelRateLimited, let rule = named(rtm: "RTM-9") { return rule }
        return switch command {
        case .login(let call): rule(ofLogin: status, call.mode, policy, circumstances)
        case .logout: named(nim: "NIM-10", zim: "ZIM-8", chat: "CHAT-11", rtm: "RTM-7", wilddog: "C-4")
        case .renewToken: named(nim: "C-11", zim: "ZIM-6", chat: "CHAT-10", rtm: "RTM-5", wilddog: "C-11")
        case .kick: named(nim: "NIM-12", chat: "CHAT-6") ?? rule(ofFailure: status, circumstances)
        case .accountCall: named(chat: "CHAT-6")
        case .join, .leave, .setAttributes, .ask, .watch:
            status == .ok ? nil : named(rtm: "RTM-9") ?? rule(ofFailure: status, circumstances)
        case .send, .resend: rule(ofSend: status, circumstances)
        case .tree(let command, _): rule(ofTree: command, status, circumstances)
        case .operate:
            status == .ok ? named(chat: "CHAT-8") : rule(ofFailure: status, circumstances)
        case .query, .setOption, .call, .change, .goOffline, .goOnline: rule(ofFailure: status, circumstances)
        }
    }

    private func rule(
        ofLogin status: Status, _ mode: LoginMode, _ policy: ServerPolicy?, _ circumstances: Circumstances
    ) -> DecidingRule? {
        switch status {
        case .ok: return named(nim: "NIM-1", zim: mode == .offline ? "ZIM-2" : "ZIM-4", chat: "CHAT-1", rtm: "RTM-1")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn:
            if circumstances.hasKick { return named(rtm: "RTM-6") ?? DecidingRule("C-2") }
            if status == .otherUserLoggedIn { return named(zim: "ZIM-8") ?? DecidingRule("C-2") }
            return DecidingRule("C-2")
        case .timeout, .connectionFailed, .networkUnavailable:
            return named(nim: "NIM-5", zim: "ZIM-4", chat: "C-11", rtm: "RTM-2", wilddog: "C-11")
        case .autologinNotAllowed: return named(nim: "NIM-3", chat: "CHAT-10") ?? DecidingRule("C-5")
        case .offlineLoginNotAllowed, .credentialTooShort: return DecidingRule("ZIM-1")
        case .credentialExpired where mode == .offline: return DecidingRule("ZIM-1")
        case .kicked, .replacedByLogin: return named(rtm: "RTM-6") ?? DecidingRule("C-5")
        case .cancelled: return DecidingRule("C-1")
        case .callbackFailed: return DecidingRule("NIM-15")
        default: return rule(ofLoginRefused: status, policy)
        }
    }

    private func rule(ofSend status: Status, _ circumstances: Circumstances) -> DecidingRule? {
        switch status {
        case .ok: nil
        case .stored: named(rtm: "RTM-8")
        case .timeout, .connectionFailed: named(zim: "ZIM-10", rtm: "RTM-8") ?? DecidingRule("C-1")
        case .rateLimited: named(rtm: "RTM-9")
        default: rule(ofFailure: status, circumstances)
        }
    }

    private func rule(ofTree command: TreeCommand, _ status: Status, _ circumstances: Circumstances) -> DecidingRule? {
        switch command {
        case .persistence: return status == .tooLate ? DecidingRule("SYNC-2") : nil
        case .transaction: return status == .ok ? nil : DecidingRule("SYNC-10")
        case .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect: return DecidingRule("SYNC-6")
        case .set, .update, .push, .get, .listen, .unlisten, .keep, .outline:
            return rule(ofFailure: status, circumstances)
        }
    }

    /// The rule of a failure that any command can have.
    private func rule(ofFailure status: Status, _ circumstances: Circumstances) -> DecidingRule? {
        switch status {
        case .timeout, .connectionFailed, .cancelled: DecidingRule("C-1")
        case .networkUnavailable: named(zim: "ZIM-3")
        case .notLoggedIn, .kicked, .replacedByLogin:
            named(zim: "ZIM-8", rtm: "RTM-7") ?? DecidingRule(circumstances.hasKick ? "C-5" : "C-4")
        default: nil
        }
    }

    /// Returns the rule whose id is given for this profile; nil if none is given.
    private func named(
        nim: String? = nil, zim: String? = nil, chat: String? = nil, rtm: String? = nil, wilddog: String? = nil
    ) -> DecidingRule? {
        choose(nim: nim, zim: zim, chat: chat, rtm: rtm, other: wilddog).map { DecidingRule($0) }
    }
}
