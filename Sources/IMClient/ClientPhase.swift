import IMProtocol
import SansIO

extension ClientMachine {
    /// Where the client is.
    enum Phase: Hashable, Sendable, Codable {
        case loggedOut
        /// A link is being made or used to log in; ``ClientMachine/link`` is set.
        case attempting(Login, stage: Stage)
        /// No link; a retry is due (timer ``ClientTimer/retry``).
        case waiting(Login)
        /// Logged in over a live link; ``ClientMachine/link`` is set.
        case online(Login, since: Instant)
        /// The server was asked to log out; ``ClientMachine/link`` is set, the timer ``ClientTimer/logout`` runs.
        case leaving(Login, command: CommandID, keepsPush: Bool, shown: ClientState)
        case kicked(KickNotice)
        /// The token's time ended the login (ZIM-6).
        case tokenExpired
        /// The app has taken the client offline; the login waits to be gone on with (SYNC-8).
        case paused(Login)
    }

    /// How far an attempt has come.
    package enum Stage: UInt8, Hashable, Sendable, Codable {
        case linking
        case authenticating
        case syncing
    }

    /// A login from the command that began it to the logout or kick that ends it; reconnects go on with it.
    struct Login: Hashable, Sendable, Codable {
        var user: String
        var credential: String
        var mode: LoginMode
        /// The command that waits for the outcome; nil once it has it (C-1).
        var command: CommandID?
        /// The server's number for it, 0 before the first success.
        var epoch: LoginEpoch = 0
        /// Whether the server has ever accepted it.
        var isEstablished = false
        /// Retries begun since the last success.
        var retryCount = 0
        /// The link is broken but the app does not know yet (RTM-3).
        var isInterruptionHidden = false
        /// When its token expires, by the server's clock in milliseconds since 1970; 0 when that is not known.
        var expiresAtMilliseconds: Int64 = 0
        /// When its token was made, by the same clock; 0 when that is not known.
        var issuedAtMilliseconds: Int64 = 0
        /// The app has been told that this token will expire; once is enough, whatever reconnects come (CHAT-10,
        /// ZIM-6).
        var isWarned = false
        /// The token is known to be of no use any more: nothing is tried with it (C-11, RTM-5).
        var isTokenExpired = false

        /// What to present to the server: a login once accepted is only gone on with (C-6). A guest has no login that
        /// another device could have taken.
        var wireMode: LoginMode { isEstablished && mode != .guest ? .resume : mode }

        /// Whether a failure is followed by a retry (NIM-5).
        var retries: Bool {
            if isEstablished { return true }
            switch mode {
            case .manual: return false
            case .automatic, .forced, .resume, .offline, .guest: return true
            }
        }
    }

    /// The one link (C-2).
    struct Link: Hashable, Sendable, Codable {
        var id: ConnectionID
        var isOpen = false
        /// When something last came over it, or the device woke up and could not have seen it.
        var lastHeard: Instant?
        /// What has been said over it, and heard, without being asked (C-15).
        var said = Tally()
        var heard = Tally()
        /// The last request for a resync; an answer to an earlier one is of no use any more.
        var resync: UInt32?
        /// The request for a sync that has no end yet, where the client is online meanwhile.
        var sync: UInt32?
    }

    /// The state that the user sees.
    public var state: ClientState { ClientMachine.state(of: phase) }

    /// The user whose login is held or tried, nil when logged out.
    public var user: String? { login?.user }

    /// The channels joined, in the order of joining.
    public var joinedChannels: [String] { channels }

    /// Whether local data may be read: from the start of an automatic login, or once a login has succeeded (NIM-2).
    public var isDataOpen: Bool {
        guard let login else { return false }
        return login.isEstablished || login.mode != .manual
    }

    var login: Login? {
        switch phase {
        case .attempting(let login, _), .waiting(let login), .online(let login, _), .leaving(let login, _, _, _),
            .paused(let login):
            login
        case .loggedOut, .kicked, .tokenExpired: nil
        }
    }

    /// The link over which the login has been accepted. Requests go out while the sync still runs: the server answers
    /// them like any others, and NIM has said Success by then.
    var openLink: Link? {
        switch phase {
        case .online, .attempting(_, .syncing): link
        case .loggedOut, .attempting, .waiting, .leaving, .kicked, .tokenExpired, .paused: nil
        }
    }

    private static func state(of phase: Phase) -> ClientState {
        switch phase {
        case .loggedOut: return .loggedOut
        case .attempting(let login, let stage):
            if login.isInterruptionHidden { return .online }
            if stage == .syncing { return .syncing }
            return login.isEstablished ? .reconnecting : .connecting
        case .waiting(let login):
            if login.isInterruptionHidden { return .online }
            return login.isEstablished ? .reconnecting : .offline
        case .online: return .online
        case .leaving(_, _, _, let shown): return shown
        case .kicked: return .kicked
        case .tokenExpired: return .tokenExpired
        case .paused: return .offline
        }
    }

    /// Goes to another phase and, if the user sees a difference, says so. The only place where the phase changes to
    /// one with another visible state.
    mutating func enter(_ next: Phase, because reason: StateReason, into effects: inout [ClientEffect]) {
        let before = state
        phase = next
        let after = state
        if before != after {
            effects.append(.transition(StateChange(from: before, to: after, reason: reason)))
        }
    }

    func announce(_ step: LoginStep, into effects: inout [ClientEffect]) {
        if policy.announcesLoginSteps { effects.append(.notify(.loginStep(step))) }
    }
}
