import IMProtocol
import SansIO

/// The state of a client in a keyframe. The names and the layout of these fields are part of the file format, and
/// `print` shows them. ``ClientMachine`` may store its state differently.
struct ClientKeyframe: Codable {
    var policy: ClientPolicy
    var device: Device
    var local: LocalData
    var phase: Phase
    /// The connection of the phase or of its admin call; nil if there is none.
    var link: ClientMachine.Link?
    var timers: Deadlines<ClientTimer>
    var random: SeededRandom
    var nextConnection: ConnectionID
    var nextRequest: UInt32
    var requests: [PendingRequest]
    var outbox: [QueuedMessage]
    var failed: [ChatMessage]
    var channelNumbers: [ChannelNumbers]
    var process: String
    var idsMade: UInt64
    var messagesMade: UInt64
    var wall: WallClock
    var isSyncAnnounced: Bool
    var attributes: [AnswerField]
    var watched: [WatchedUser]
    var settling: Reconciliation
    var callTimes: CallTimes
    var pages: Frame?
    var instance: UInt64
    var accountCall: AccountCallPart?
    var tree: ClientTree
    /// Nil if the client has never opened local data.
    var data: ClientData?
    var otherDevices: [Device]
    var channels: [String]
    /// Nil for no members. Optional, because recordings of older versions do not have it.
    var members: [ChannelMembers]?
    var retryCountMax: Int
    var ownRetryDelays: [Interval]
    /// Nil for a system that does not report the connection's state.
    var linkState: LinkState?

    /// A phase without its connection and its admin call. The keyframe stores these in ``link`` and ``accountCall``.
    enum Phase: Codable {
        case loggedOut
        case attempting(ClientMachine.Login, stage: ClientMachine.Stage)
        case waiting(ClientMachine.Login)
        case online(ClientMachine.Login, since: Instant)
        case leaving(ClientMachine.Login, command: CommandID, keepsPush: Bool, shown: ClientState)
        case kicked(KickNotice)
        case tokenExpired
        case paused(ClientMachine.Login)
    }

    /// An admin call without its connection.
    struct AccountCallPart: Codable {
        var command: CommandID
        var call: AccountCall
        var number: UInt32
    }
}

// MARK: Splitting and joining the phase

extension ClientKeyframe.Phase {
    init(_ phase: ClientMachine.Phase) {
        switch phase {
        case .loggedOut: self = .loggedOut
        case .attempting(let login, _, let stage): self = .attempting(login, stage: stage)
        case .waiting(let login): self = .waiting(login)
        case .online(let login, _, let since): self = .online(login, since: since)
        case .leaving(let login, _, let logout):
            self = .leaving(login, command: logout.command, keepsPush: logout.keepsPush, shown: logout.shownState)
        case .kicked(let notice, _): self = .kicked(notice)
        case .tokenExpired: self = .tokenExpired
        case .paused(let login): self = .paused(login)
        }
    }
}

extension ClientKeyframe.AccountCallPart {
    init(_ call: AdminCall) {
        command = call.command
        self.call = call.call
        number = call.number
    }
}

extension ClientKeyframe {
    /// The phase with its connection and its admin call. Nil for an invalid keyframe: the phase has a connection but
    /// should have none, lacks its connection, or has one that should not be open yet.
    var phaseWithLink: ClientMachine.Phase? {
        switch phase {
        case .loggedOut: adminCall.map { .loggedOut($0) }
        case .kicked(let notice): adminCall.map { .kicked(notice, $0) }
        case .tokenExpired: adminCall.map { .tokenExpired($0) }
        case .attempting(let login, let stage):
            loginLink(isOpen: stage != .linking).map { .attempting(login, $0, stage) }
        case .online(let login, let since): loginLink(isOpen: true).map { .online(login, $0, since: since) }
        case .leaving(let login, let command, let keepsPush, let shown):
            loginLink(isOpen: true).map {
                .leaving(
                    login, $0,
                    ClientMachine.PendingLogout(command: command, keepsPush: keepsPush, shownState: shown))
            }
        case .waiting(let login): hasNoLink ? .waiting(login) : nil
        case .paused(let login): hasNoLink ? .paused(login) : nil
        }
    }

    private var hasNoLink: Bool { link == nil && accountCall == nil }

    private func loginLink(isOpen: Bool) -> ClientMachine.Link? {
        guard let link, link.isOpen == isOpen, accountCall == nil else { return nil }
        return link
    }

    /// The admin call with its connection. `.some(nil)` means that there is no admin call. `nil` means that the
    /// keyframe is invalid: the call and the connection do not fit.
    private var adminCall: AdminCall?? {
        guard let accountCall else { return hasNoLink ? .some(nil) : nil }
        guard let link, link.isOpen == (accountCall.number != 0) else { return nil }
        return AdminCall(
            link: link, command: accountCall.command, call: accountCall.call, number: accountCall.number)
    }
}
