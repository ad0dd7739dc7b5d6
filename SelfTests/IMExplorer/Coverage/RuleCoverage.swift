import IMCheckers
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The rules that applied in a scenario, derived from its events alone. The checkers decide whether a rule was kept.
/// This type decides whether an event occurred to which the rule applies.
///
/// C-16 is not among the rules, because it concerns recordings. ``RecordingSelfChecks`` checks it.
struct RuleCoverage {
    private let profile: String
    /// The clients that were online in their current process, and how often each client's process was started.
    private var wereOnline: Set<String> = []
    private var starts: [String: Int] = [:]
    private var textsSent: Set<String> = []
    /// The connections with an onDisconnect operation (SYNC-6).
    private var registered: Set<ConnectionID> = []

    init(profile: String) { self.profile = profile }

    /// The rules that can be observed in a profile.
    static func rules(of profile: String) -> [String] {
        let all = [1, 3, 9, 10, 12, 15].map { "C-\($0)" }
        let logins = [2, 4, 5, 6, 7, 8, 11].map { "C-\($0)" }
        return switch profile {
        case "nim": all + logins + ["C-13"] + (1...14).map { "NIM-\($0)" }
        case "zim": all + logins + ["C-13", "C-14"] + (1...10).map { "ZIM-\($0)" }
        case "agora-chat": all + logins + ["C-13"] + (1...12).map { "CHAT-\($0)" }
        case "agora-rtm": all + logins + ["C-14"] + (1...9).map { "RTM-\($0)" }
        default: all + (1...10).map { "SYNC-\($0)" }
        }
    }

    // MARK: Clients

    /// - Parameters:
    ///   - before: the client's state before the event.
    ///   - report: is called with the id of each rule that applies to the event.
    mutating func observeClient(
        _ event: SessionEvent, _ trace: ClientTrace, before: ClientState, _ report: (String) -> Void
    ) {
        switch event.content {
        case .start:
            starts[event.node, default: 0] += 1
            wereOnline.remove(event.node)
        case .input(let input):
            if trace.isInputStale { report("C-3") }
            if case .clientCommand(_, let command) = input { commanded(command, event.node, before, report) }
        case .effect(let effect): handleEffect(effect, event.node, trace, before, report)
        default: break
        }
    }

    private func commanded(
        _ command: ClientCommand, _ node: String, _ state: ClientState, _ report: (String) -> Void
    ) {
        switch (profile, command) {
        case ("zim", .send) where state == .reconnecting: report("ZIM-10")
        case ("zim", .call) where state != .online: report("ZIM-9")
        case ("agora-chat", .login) where starts[node, default: 0] > 1: report("CHAT-4")
        case ("agora-chat", .accountCall): report("CHAT-6")
        case ("agora-chat", .send(let to, _, false)) where to.contains("/"): report("CHAT-7")
        case ("agora-chat", .operate(let kind, _, _)):
            if [.conversationDelete, .messagesRemoved].contains(kind) { report("CHAT-9") }
        case (_, .tree(let command, _)): treeCommanded(command, state, report)
        default: break
        }
    }

    private func treeCommanded(_ command: TreeCommand, _ state: ClientState, _ report: (String) -> Void) {
        switch command {
        case .persistence: report("SYNC-2")
        case .keep: report("SYNC-3")
        case .get(_, .some), .listen(_, .some): if state != .online { report("SYNC-4") }
        case .listen(let path, _) where path.hasPrefix(".info"): report("SYNC-5")
        case .set(_, let node) where node.hasServerTimestamp: report("SYNC-7")
        default: break
        }
    }

    private mutating func handleEffect(
        _ effect: NodeEffect, _ node: String, _ trace: ClientTrace, _ before: ClientState, _ report: (String) -> Void
    ) {
        switch effect {
        case .complete(_, let completion): completed(completion.status, trace, report)
        case .transition(let change): changed(change, node, report)
        case .notify(let notification): handleNotification(notification, trace, report)
        case .connect:
            if case .deadlineReached? = trace.input { report("C-9") }
            if case .clientCommand(_, .tree)? = trace.input { report("SYNC-1") }
        case .closeLink:
            if case .deadlineReached? = trace.input, before == .online, trace.openLink != nil { report("C-12") }
        case .send(_, let frame): sent(frame, node, trace, report)
        case .data(let request):
            if case .open = request.action, case .clientCommand(_, .login(let call))? = trace.input {
                if call.mode == .automatic || call.mode == .forced { report("NIM-2") }
                if call.mode == .offline { report("ZIM-2") }
            }
        default: break
        }
    }

    private func completed(_ status: Status, _ trace: ClientTrace, _ report: (String) -> Void) {
        report("C-1")
        switch status {
        case .loginInProgress, .alreadyLoggedIn: report("C-2")
        case .otherUserLoggedIn:
            report("C-2")
            report("ZIM-8")
        case .wrongCredential, .credentialExpired, .banned: report("C-11")
        case .dataUnavailable: report("C-13")
        case .autologinNotAllowed: report("NIM-3")
        case .offlineLoginNotAllowed: report("ZIM-1")
        case .networkUnavailable: report("ZIM-3")
        case .rateLimited, .limitExceeded, .alreadyJoined, .channelRateLimited: report("RTM-9")
        default: break
        }
        guard case .clientCommand(_, let command)? = trace.input else {
            if case .frame(_, let frame)? = trace.input, case .loginAck = frame.body, status != .ok { report("RTM-2") }
            if case .deadlineReached? = trace.input, status == .timeout { report("RTM-2") }
            return
        }
        switch command {
        case .logout:
            if status != .ok { report("CHAT-11") }
            report("RTM-7")
        case .query, .call: if trace.state == .loggedOut || trace.state == .kicked { report("C-13") }
        default: break
        }
    }

    private mutating func changed(_ change: StateChange, _ node: String, _ report: (String) -> Void) {
        report("ZIM-4")
        report("CHAT-1")
        report("RTM-1")
        if change.to == .online { wereOnline.insert(node) }
        switch change.reason {
        case .logout: for rule in ["C-4", "NIM-10", "RTM-7"] { report(rule) }
        case .interrupted: for rule in ["NIM-5", "RTM-3"] { report(rule) }
        case .wentOffline: report("SYNC-8")
        case .tokenExpired, .banned, .accountRemoved, .passwordChanged:
            for rule in ["CHAT-10", "ZIM-6"] { report(rule) }
        default: break
        }
    }

    private func handleNotification(
        _ notification: ClientNotification, _ trace: ClientTrace, _ report: (String) -> Void
    ) {
        switch notification {
        case .loginStep(let step):
            report([.connectionLost, .networkChanged, .linkFailed, .loginFailed].contains(step) ? "NIM-9" : "NIM-1")
        case .autologinFailed(let status), .autologinCompleted(let status):
            switch status {
            case .retryLimitReached: report("NIM-6")
            case .loggedInElsewhere: for rule in ["NIM-4", "NIM-7"] { report(rule) }
            case .wrongCredential, .banned, .credentialExpired: for rule in ["NIM-7", "C-11"] { report(rule) }
            case .autologinNotAllowed: report("NIM-3")
            default: break
            }
        case .kicked(let notice):
            for rule in ["C-5", "NIM-12", "CHAT-5", "RTM-6"] { report(rule) }
            if [.banned, .accountRemoved, .passwordChanged].contains(notice.reason) { report("CHAT-10") }
        case .devicesChanged: report("NIM-13")
        case .synced: report("NIM-14")
        case .syncStarted, .syncFinished: report("CHAT-12")
        case .tokenWillExpire: for rule in ["ZIM-6", "CHAT-10"] { report(rule) }
        case .tokenExpired: for rule in ["ZIM-6", "CHAT-10", "RTM-5"] { report(rule) }
        case .presence: report("ZIM-5")
        case .memberChanged: report("RTM-4")
        case .operated(let operation):
            report("CHAT-8")
            if [.conversationDelete, .messagesRemoved].contains(operation.kind) { report("CHAT-9") }
        case .messageReceived: if case .frame? = trace.input { report("RTM-8") }
        default: break
        }
    }

    private func sent(_ frame: Frame, _ node: String, _ trace: ClientTrace, _ report: (String) -> Void) {
        switch frame.body {
        case .heartbeat:
            report("SYNC-9")
            if case .app? = trace.input { report("C-10") }
        case .settle, .sync, .resync, .watch, .join, .send: if wereOnline.contains(node) { report("C-15") }
        case .tree:
            // If the input is an opened connection or a frame, no command of the app caused the frame. The client sends
            // an earlier write or listener again over a new connection.
            guard wereOnline.contains(node) else { return }
            switch trace.input {
            case .linkOpened?, .frame?: for rule in ["SYNC-10", "C-15"] { report(rule) }
            default: break
            }
        default: break
        }
    }

    // MARK: The server

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, _ report: (String) -> Void) {
        switch event.content {
        case .input(.frame(let connection, let frame)):
            switch frame.body {
            case .send(let message): if !textsSent.insert(message.text).inserted { report("C-14") }
            case .tree(.onDisconnect): registered.insert(connection)
            default: break
            }
        case .input(.linkClosed(let connection, _)): if registered.contains(connection) { report("SYNC-6") }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked(let notice): kicked(notice, over: connection, trace, report)
            case .loginAck(let reply): answered(reply, trace, report)
            default: break
            }
        case .effect(.closeLink): if case .deadlineReached? = trace.input { report("C-12") }
        default: break
        }
    }

    private func kicked(
        _ notice: KickNotice, over connection: ConnectionID, _ trace: ServerTrace, _ report: (String) -> Void
    ) {
        guard let pendingLogin = trace.pendingLogin else { return }
        guard pendingLogin.connection == connection else {
            if notice.reason == .otherLogin { for rule in ["C-8", "NIM-11", "ZIM-7", "CHAT-2"] { report(rule) } }
            if pendingLogin.login.mode != .manual { for rule in ["CHAT-3", "NIM-4"] { report(rule) } }
            return
        }
        report("C-7")
        if notice.reason == .otherLogin { report("C-6") }
    }

    private func answered(_ reply: LoginReply, _ trace: ServerTrace, _ report: (String) -> Void) {
        switch reply.status {
        case .rateLimited: for rule in ["NIM-8", "RTM-9"] { report(rule) }
        case .loggedInElsewhere: report("NIM-4")
        case .deviceChanged, .tooManyDevices: for rule in ["CHAT-3", "C-6"] { report(rule) }
        case .wrongCredential, .credentialExpired, .banned: report("C-11")
        default: break
        }
    }
}
