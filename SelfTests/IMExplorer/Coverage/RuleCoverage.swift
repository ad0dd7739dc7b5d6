import IMCheckers
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The rules that applied in a scenario, derived from events alone. The checkers decide whether a rule was kept; this
/// type decides whether there was an occasion.
///
/// C-16 is missing here: it concerns recordings, which ``RecorderLaws`` checks.
struct RuleCoverage {
    private let profile: String
    /// Clients that were online in their present process, and the number of processes of each client.
    private var wereOnline: Set<String> = []
    private var starts: [String: Int] = [:]
    private var textsSent: Set<String> = []
    /// Connections with an onDisconnect operation (SYNC-6).
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
    ///   - see: is called with the id of each rule that the event shows.
    mutating func seeClient(
        _ event: SessionEvent, _ trace: ClientTrace, before: ClientState, _ see: (String) -> Void
    ) {
        switch event.content {
        case .start:
            starts[event.node, default: 0] += 1
            wereOnline.remove(event.node)
        case .input(let input):
            if trace.isInputStale { see("C-3") }
            if case .clientCommand(_, let command) = input { commanded(command, event.node, before, see) }
        case .effect(let effect): asked(effect, event.node, trace, before, see)
        default: break
        }
    }

    private func commanded(
        _ command: ClientCommand, _ node: String, _ state: ClientState, _ see: (String) -> Void
    ) {
        switch (profile, command) {
        case ("zim", .send) where state == .reconnecting: see("ZIM-10")
        case ("zim", .call) where state != .online: see("ZIM-9")
        case ("agora-chat", .login) where starts[node, default: 0] > 1: see("CHAT-4")
        case ("agora-chat", .accountCall): see("CHAT-6")
        case ("agora-chat", .send(let to, _, false)) where to.contains("/"): see("CHAT-7")
        case ("agora-chat", .operate(let kind, _, _)):
            if [.conversationDelete, .messagesRemoved].contains(kind) { see("CHAT-9") }
        case (_, .tree(let command, _)): treeCommanded(command, state, see)
        default: break
        }
    }

    private func treeCommanded(_ command: TreeCommand, _ state: ClientState, _ see: (String) -> Void) {
        switch command {
        case .persistence: see("SYNC-2")
        case .keep: see("SYNC-3")
        case .get(_, .some), .listen(_, .some): if state != .online { see("SYNC-4") }
        case .listen(let path, _) where path.hasPrefix(".info"): see("SYNC-5")
        case .set(_, let node) where node.hasServerTimestamp: see("SYNC-7")
        default: break
        }
    }

    private mutating func asked(
        _ effect: NodeEffect, _ node: String, _ trace: ClientTrace, _ before: ClientState, _ see: (String) -> Void
    ) {
        switch effect {
        case .complete(_, let completion): completed(completion.status, trace, see)
        case .transition(let change): changed(change, node, see)
        case .notify(let notification): told(notification, trace, see)
        case .connect:
            if case .deadlineReached? = trace.input { see("C-9") }
            if case .clientCommand(_, .tree)? = trace.input { see("SYNC-1") }
        case .closeLink:
            if case .deadlineReached? = trace.input, before == .online, trace.openLink != nil { see("C-12") }
        case .send(_, let frame): sent(frame, node, trace, see)
        case .data(let request):
            if case .open = request.action, case .clientCommand(_, .login(_, _, let mode, _, _))? = trace.input {
                if mode == .automatic || mode == .forced { see("NIM-2") }
                if mode == .offline { see("ZIM-2") }
            }
        default: break
        }
    }

    private func completed(_ status: Status, _ trace: ClientTrace, _ see: (String) -> Void) {
        see("C-1")
        switch status {
        case .loginInProgress, .alreadyLoggedIn: see("C-2")
        case .otherUserLoggedIn:
            see("C-2")
            see("ZIM-8")
        case .wrongCredential, .credentialExpired, .banned: see("C-11")
        case .dataUnavailable: see("C-13")
        case .autologinNotAllowed: see("NIM-3")
        case .offlineLoginNotAllowed: see("ZIM-1")
        case .networkUnavailable: see("ZIM-3")
        case .rateLimited, .limitExceeded, .alreadyJoined, .channelRateLimited: see("RTM-9")
        default: break
        }
        guard case .clientCommand(_, let command)? = trace.input else {
            if case .frame(_, let frame)? = trace.input, case .loginAck = frame.body, status != .ok { see("RTM-2") }
            if case .deadlineReached? = trace.input, status == .timeout { see("RTM-2") }
            return
        }
        switch command {
        case .logout:
            if status != .ok { see("CHAT-11") }
            see("RTM-7")
        case .query, .call: if trace.state == .loggedOut || trace.state == .kicked { see("C-13") }
        default: break
        }
    }

    private mutating func changed(_ change: StateChange, _ node: String, _ see: (String) -> Void) {
        see("ZIM-4")
        see("CHAT-1")
        see("RTM-1")
        if change.to == .online { wereOnline.insert(node) }
        switch change.reason {
        case .logout: for rule in ["C-4", "NIM-10", "RTM-7"] { see(rule) }
        case .interrupted: for rule in ["NIM-5", "RTM-3"] { see(rule) }
        case .wentOffline: see("SYNC-8")
        case .tokenExpired, .banned, .accountRemoved, .passwordChanged: for rule in ["CHAT-10", "ZIM-6"] { see(rule) }
        default: break
        }
    }

    private func told(_ notification: ClientNotification, _ trace: ClientTrace, _ see: (String) -> Void) {
        switch notification {
        case .loginStep(let step):
            see([.connectionLost, .networkChanged, .linkFailed, .loginFailed].contains(step) ? "NIM-9" : "NIM-1")
        case .autologinFailed(let status), .autologinCompleted(let status):
            switch status {
            case .retryLimitReached: see("NIM-6")
            case .loggedInElsewhere: for rule in ["NIM-4", "NIM-7"] { see(rule) }
            case .wrongCredential, .banned, .credentialExpired: for rule in ["NIM-7", "C-11"] { see(rule) }
            case .autologinNotAllowed: see("NIM-3")
            default: break
            }
        case .kicked(let notice):
            for rule in ["C-5", "NIM-12", "CHAT-5", "RTM-6"] { see(rule) }
            if [.banned, .accountRemoved, .passwordChanged].contains(notice.reason) { see("CHAT-10") }
        case .devicesChanged: see("NIM-13")
        case .synced: see("NIM-14")
        case .syncStarted, .syncFinished: see("CHAT-12")
        case .tokenWillExpire: for rule in ["ZIM-6", "CHAT-10"] { see(rule) }
        case .tokenExpired: for rule in ["ZIM-6", "CHAT-10", "RTM-5"] { see(rule) }
        case .presence: see("ZIM-5")
        case .memberChanged: see("RTM-4")
        case .operated(let operation):
            see("CHAT-8")
            if [.conversationDelete, .messagesRemoved].contains(operation.kind) { see("CHAT-9") }
        case .messageReceived: if case .frame? = trace.input { see("RTM-8") }
        default: break
        }
    }

    private func sent(_ frame: Frame, _ node: String, _ trace: ClientTrace, _ see: (String) -> Void) {
        switch frame.body {
        case .heartbeat:
            see("SYNC-9")
            if case .app? = trace.input { see("C-10") }
        case .settle, .sync, .resync, .watch, .join, .send: if wereOnline.contains(node) { see("C-15") }
        case .tree:
            // The current input did not request it: earlier writes and listeners are sent over the new connection.
            guard wereOnline.contains(node) else { return }
            switch trace.input {
            case .linkOpened?, .frame?: for rule in ["SYNC-10", "C-15"] { see(rule) }
            default: break
            }
        default: break
        }
    }

    // MARK: The server

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace, _ see: (String) -> Void) {
        switch event.content {
        case .input(.frame(let connection, let frame)):
            switch frame.body {
            case .send(let message): if !textsSent.insert(message.text).inserted { see("C-14") }
            case .tree(.onDisconnect): registered.insert(connection)
            default: break
            }
        case .input(.linkClosed(let connection, _)): if registered.contains(connection) { see("SYNC-6") }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked(let notice): kicked(notice, over: connection, trace, see)
            case .loginAck(let reply): answered(reply, trace, see)
            default: break
            }
        case .effect(.closeLink): if case .deadlineReached? = trace.input { see("C-12") }
        default: break
        }
    }

    private func kicked(
        _ notice: KickNotice, over connection: ConnectionID, _ trace: ServerTrace, _ see: (String) -> Void
    ) {
        guard let asking = trace.asking else { return }
        guard asking.connection == connection else {
            if notice.reason == .otherLogin { for rule in ["C-8", "NIM-11", "ZIM-7", "CHAT-2"] { see(rule) } }
            if asking.login.mode != .manual { for rule in ["CHAT-3", "NIM-4"] { see(rule) } }
            return
        }
        see("C-7")
        if notice.reason == .otherLogin { see("C-6") }
    }

    private func answered(_ reply: LoginReply, _ trace: ServerTrace, _ see: (String) -> Void) {
        switch reply.status {
        case .rateLimited: for rule in ["NIM-8", "RTM-9"] { see(rule) }
        case .loggedInElsewhere: see("NIM-4")
        case .deviceChanged, .tooManyDevices: for rule in ["CHAT-3", "C-6"] { see(rule) }
        case .wrongCredential, .credentialExpired, .banned: see("C-11")
        default: break
        }
    }
}
