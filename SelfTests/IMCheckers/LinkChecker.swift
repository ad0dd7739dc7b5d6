import IMClient
import IMProtocol
import IMSession
import SansIO

/// A client has at most one connection at a time, and never reuses a connection's number (C-2, C-3). Events of an ended
/// connection have no effect. On a new network the client connects again (C-9). After a logout or a kick, the client is
/// inactive until the next command (C-4, C-5).
struct LinkChecker: Checker {
    private let policy: ClientPolicy
    private var usedNumbers: Set<ConnectionID>
    /// True after a logout, a kick or the expiry of the token, until a command that may connect.
    private var isSilent = true
    private var isKicked = false
    /// True after another process of the device took over, until a command that may connect (SYNC-1).
    private var isReplaced = false
    /// The connection that was being opened when the network changed. The client must close it and connect again (C-9).
    private var previousLink: ConnectionID?
    /// The connection that must be closed before the app exits in an orderly way.
    private var linkToClose: ConnectionID?
    /// The time at which the connection broke; nil if it works or the app has been notified (RTM-3).
    private var hiddenSince: Instant?
    /// The earliest time at which the app may be notified of the broken connection.
    private var hiddenUntil = Instant.zero
    /// The time of the last frame before the device slept; nil if a frame has arrived since the device woke (RTM-3).
    private var lastFrameBeforeSleep: Instant?

    init(_ policy: ClientPolicy) { self.init(policy, usedNumbers: []) }

    private init(_ policy: ClientPolicy, usedNumbers: Set<ConnectionID>) {
        self.policy = policy
        self.usedNumbers = usedNumbers
    }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            if linkToClose != nil { violations.add(.links, "C-4", "the connection is not closed when the app closes") }
            self = LinkChecker(policy, usedNumbers: usedNumbers)
        case .input(let input):
            if previousLink != nil {
                violations.add(.links, "C-9", "the client waits for a connection on the previous network")
            }
            handleInput(input, trace)
            switch input {
            case .app(.woke): lastFrameBeforeSleep = lastFrameBeforeSleep ?? trace.lastFrameAt
            case .linkOpened: lastFrameBeforeSleep = nil
            case .frame: if event.time > trace.awakeSince { lastFrameBeforeSleep = nil }
            default: break
            }
            checkHiddenBreak(input, at: event.time, trace, into: &violations)
        case .effect(let effect):
            if case .closeLink(let id) = effect {
                if id == previousLink { previousLink = nil }
                if id == linkToClose { linkToClose = nil }
                if id == trace.acceptedLink, trace.state == .online { hide(closed: event.time, trace) }
            }
            if case .transition(let change) = effect {
                if hiddenSince != nil, change.to == .reconnecting, event.time < hiddenUntil {
                    let detail = "\((hiddenUntil - event.time).inMilliseconds) ms too early"
                    violations.add(.links, "RTM-3", "the app is notified of a broken connection too early", detail)
                }
                hiddenSince = nil
            }
            handleEffect(effect, trace, into: &violations)
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ trace: ClientTrace) {
        previousLink = nil
        switch input {
        case .clientCommand(_, .tree(let command, _)) where command.isReadOnly: break
        case .clientCommand(_, .login), .clientCommand(_, .accountCall), .clientCommand(_, .tree),
            .clientCommand(_, .goOnline):
            (isSilent, isReplaced) = (false, false)
        case .frame(_, let frame):
            if case .goodbye(.replaced, _) = frame.body, trace.state == .online, !trace.isInputStale {
                isReplaced = policy.features.contains(.tree)
            }
        case .app(.closing): linkToClose = trace.links.last
        case .network(.up), .network(.switched): if trace.openLink == nil { previousLink = trace.links.last }
        default: break
        }
    }

    /// A silent connection counts as broken from its last frame, but for at most the interruption grace before its
    /// close.
    private mutating func hide(closed now: Instant, _ trace: ClientTrace) {
        let lastFrame = lastFrameBeforeSleep ?? trace.lastFrameAt ?? now
        let isSilent = now - lastFrame > policy.heartbeatInterval * 2
        hide(since: isSilent ? max(lastFrame, now - policy.interruptionGrace) : now, until: lastFrame)
    }

    private mutating func hide(since: Instant, until lastFrame: Instant) {
        hiddenSince = since
        hiddenUntil = lastFrame + policy.interruptionGrace
    }

    /// Checks that a broken connection is not hidden from the app for longer than the interruption grace.
    private mutating func checkHiddenBreak(
        _ input: NodeInput, at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        if let since = hiddenSince, now - max(since, trace.awakeSince) > policy.interruptionGrace {
            hiddenSince = nil
            let detail = "\((now - since).inMilliseconds) ms"
            violations.add(.links, "RTM-3", "the app is not notified of a broken connection in time", detail)
        }
        switch input {
        case .linkClosed(let id, _):
            guard id == trace.acceptedLink, trace.state == .online else { return }
            hide(since: now, until: lastFrameBeforeSleep ?? now)
        case .frame(_, let frame):
            if case .loginAck(let reply) = frame.body, reply.status == .ok, !trace.isInputStale { hiddenSince = nil }
        default: break
        }
    }

    private mutating func handleEffect(_ effect: NodeEffect, _ trace: ClientTrace, into violations: inout [Violation]) {
        if trace.isInputStale {
            violations.add(.links, "C-3", "an event of an ended connection has an effect", "\(effect)")
        }
        switch effect {
        case .connect(let id):
            if let other = trace.links.last {
                violations.add(.links, "C-2", "there is a second connection", "\(id.rawValue) and \(other.rawValue)")
            }
            if !usedNumbers.insert(id).inserted {
                violations.add(.links, "C-3", "a connection number is used again", "\(id.rawValue)")
            }
            if isReplaced { violations.add(.links, "SYNC-1", "the client connects after another process replaced it") }
            if isSilent {
                violations.append(
                    isKicked
                        ? Violation(.links, "C-5", "the client connects after a kick")
                        : Violation(.links, "C-4", "the client connects after a logout"))
            }
        case .send(let id, let frame) where trace.openLink != id:
            violations.add(.links, "C-3", "a frame is sent over a connection that is not open", frame.body.name)
        case .transition(let change): changed(change, trace, into: &violations)
        case .notify(let notification) where isSilent && trace.state == .loggedOut:
            switch notification {
            case .messageReceived, .devicesChanged, .memberChanged, .presence, .operated, .synced, .syncStarted,
                .syncFinished, .tokenWillExpire:
                violations.add(.links, "C-4", "the app is notified after a logout", "\(notification)")
            default: break
            }
        default: break
        }
    }

    private mutating func changed(_ change: StateChange, _ trace: ClientTrace, into violations: inout [Violation]) {
        // True if the app requested the change of the connection's state. A change from `kicked` belongs to a logout.
        var isRequested = false
        if case .clientCommand(_, let command)? = trace.input {
            switch command {
            case .goOffline, .logout: isRequested = true
            default: break
            }
        }
        if case .app(.closing)? = trace.input { isRequested = true }
        // The SDK of Agora Chat logs out by itself directly after a kick (CHAT-10).
        if case .frame(_, let frame)? = trace.input, case .kicked = frame.body { isRequested = change.from == .kicked }
        if isSilent, !isRequested {
            let detail = "\(change.from.name) to \(change.to.name)"
            violations.add(.links, isKicked ? "C-5" : "C-4", "the state changes after the end of the login", detail)
        }
        switch change.to {
        case .loggedOut, .kicked, .tokenExpired:
            isSilent = true
            isKicked = change.to == .kicked
            if change.to == .kicked, !trace.links.isEmpty {
                violations.add(.links, "C-5", "the client is kicked, but a connection is left")
            }
        case .online, .syncing:
            if trace.openLink == nil { violations.add(.links, "C-2", "the client is online without a connection") }
        case .connecting, .reconnecting, .offline: break
        }
    }
}

extension TreeCommand {
    /// True if the command creates no reference.
    fileprivate var isReadOnly: Bool {
        switch self {
        case .outline, .persistence: true
        default: false
        }
    }
}
