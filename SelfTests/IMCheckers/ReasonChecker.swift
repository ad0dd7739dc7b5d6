import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// Each change of state has the correct reason (RTM-1, ZIM-4), and a kick names its cause (C-5, NIM-12).
struct ReasonChecker {
    /// True if a logout was requested in the present state.
    private var isLeaving = false
    /// True if the login is tried only once.
    private var isManual = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: isLeaving = false
        case .input(.clientCommand(_, .logout)): isLeaving = true
        case .input(.clientCommand(_, .login(_, _, let mode, _, _))):
            if trace.user == nil { (isLeaving, isManual) = (false, mode == .manual) }
        case .effect(.transition(let change)):
            guard let input = trace.input, !isRight(change, input) else { return }
            let detail = "\(change.from.name) to \(change.to.name) by \(input.word): \(change.reason.name)"
            violations.append(Violation(.links, "RTM-1", "a change of state is told with another reason", detail))
        case .effect(.notify(.kicked(let notice))):
            guard case .frame(_, let frame)? = trace.input, case .kicked(let came) = frame.body, came != notice else {
                return
            }
            let detail = "\(notice.reason.name), not \(came.reason.name)"
            violations.append(Violation(.kicks, "C-5", "the app is told of another kick than came", detail))
        default: break
        }
    }

    private func isRight(_ change: StateChange, _ input: NodeInput) -> Bool {
        switch change.to {
        case .syncing: return change.reason == .loginSucceeded && input.frameName == "login-ack"
        case .online:
            return input.frameName == "login-ack" && change.reason == .loginSucceeded
                || input.frameName == "sync-done" && change.reason == .syncFinished
        case .kicked:
            guard case .frame(_, let frame) = input, case .kicked(let notice) = frame.body else { return false }
            return change.reason == Self.reason(of: notice.reason)
        case .tokenExpired: return change.reason == .tokenExpired
        case .connecting:
            return change.from.isOver
                ? change.reason == .login : [.login, .retrying].contains(change.reason)
        case .reconnecting:
            return change.from == .offline ? change.reason != .interrupted : change.reason == .interrupted
        case .offline: return [.interrupted, .wentOffline, .remoteLogin].contains(change.reason)
        case .loggedOut:
            switch change.reason {
            // A kick after which the SDK logs itself out (CHAT-10).
            case .logout: return isLeaving || change.from == .kicked && input.frameName == "kicked"
            // An attempt with a time limit.
            case .loginTimedOut: return input == .deadlineReached && change.from == .connecting
            case .credentialRefused: return input.frameName == "login-ack"
            case .loginFailed: return !isManual || input != .deadlineReached || change.from != .connecting
            default: return false
            }
        }
    }

    private static func reason(of kick: KickReason) -> StateReason {
        switch kick {
        case .otherLogin: .remoteLogin
        case .server: .kickedByServer
        case .otherDevice: .kickedByOtherDevice
        case .banned: .banned
        case .accountRemoved: .accountRemoved
        case .passwordChanged: .passwordChanged
        }
    }
}

extension NodeInput {
    fileprivate var frameName: String? { if case .frame(_, let frame) = self { frame.body.name } else { nil } }

    fileprivate var word: String {
        switch self {
        case .frame(_, let frame): frame.body.name
        case .clientCommand(_, let command): command.fieldText
        case .deadlineReached: "a deadline"
        case .linkClosed, .linkFailed, .unreadable: "the end of a link"
        case .linkOpened: "a link"
        case .network: "the network"
        case .app: "the app's process"
        case .data: "the store"
        case .serverCommand: "the operator"
        }
    }
}

/// An app is notified of a state once: two changes with the same callback of the vendor count as one (CHAT-1, C-3).
struct StateNoticeChecker {
    /// The last callback of the running process.
    private var lastCallback: Callback?

    mutating func observe(_ event: SessionEvent, _ dialect: any Dialect, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: lastCallback = nil
        case .effect(.transition(let change)):
            guard let callback = dialect.callback(for: .transition(change)) else { return }
            if callback == lastCallback {
                let detail = "\(change.from.name) to \(change.to.name)"
                violations.append(Violation(.links, "CHAT-1", "an app is told of the state that it knows of", detail))
            }
            lastCallback = callback
        default: break
        }
    }
}
