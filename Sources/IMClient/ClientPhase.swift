import IMProtocol
import SansIO

extension ClientMachine {
    /// Where the client is, and what belongs to it there. There is a link exactly in the cases that hold one, or a call
    /// that holds one (C-2). Indirect, because every input asks for a part of it: nothing but that part is copied then.
    indirect enum Phase: Hashable, Sendable {
        case loggedOut(OutsideCall?)
        /// A link is being made or used to log in.
        case attempting(Login, Link, Stage)
        /// A retry is due, unless the token is of no use any more (timer ``ClientTimer/retry``).
        case waiting(Login)
        /// Logged in over a live link.
        case online(Login, Link, since: Instant)
        /// The server was asked to log out (timer ``ClientTimer/logout``).
        case leaving(Login, Link, Leave)
        case kicked(KickNotice, OutsideCall?)
        /// The token's time ended the login (ZIM-6).
        case tokenExpired(OutsideCall?)
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
        /// What the app wants the user to be called; nil where it does not say. Optional, because an older version kept
        /// none.
        var userName: String?

        /// What the server is told of it: a login once accepted says no name again, which the user may have changed
        /// since.
        var newUserName: String { isEstablished ? "" : userName ?? "" }

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
        /// The hosts that refused the connection before this one was tried; nil for none.
        var hostsRefused: Int?
        /// The time between two heartbeats, where it has grown (C-12); nil for the policy's.
        var heartbeatWait: Interval?
        /// When something last came over it, or the device woke up and could not have seen it.
        var lastHeard: Instant?
        /// When something last came before the device slept; nil once something has come since it woke.
        var heardBeforeSleep: Instant?
        /// What has been said over it, and heard, without being asked (C-15).
        var said = Tally()
        var heard = Tally()
        /// The last request for a resync; an answer to an earlier one is of no use any more.
        var resync: UInt32?
        /// The request for a sync that has no end yet, where the client is online meanwhile.
        var sync: UInt32?

        /// A frame has come. Those that waited while the device slept are read at the instant of its waking, and say
        /// nothing of the link as it is now.
        mutating func heard(at now: Instant) {
            if let lastHeard, now > lastHeard { heardBeforeSleep = nil }
            lastHeard = now
        }

        /// The device has slept. The time for an answer begins again, but an interruption counts from before (RTM-3).
        mutating func woke(at now: Instant) {
            heardBeforeSleep = heardBeforeSleep ?? lastHeard
            lastHeard = now
        }
    }

    /// A logout that the server has been asked for.
    struct Leave: Hashable, Sendable {
        var command: CommandID
        var keepsPush: Bool
        /// The state that the user goes on seeing until it is done.
        var shown: ClientState
    }
}

// MARK: What a phase holds

extension ClientMachine.Phase {
    typealias Link = ClientMachine.Link
    typealias Login = ClientMachine.Login

    var login: Login? {
        switch self {
        case .attempting(let login, _, _), .waiting(let login), .online(let login, _, _), .leaving(let login, _, _),
            .paused(let login):
            login
        case .loggedOut, .kicked, .tokenExpired: nil
        }
    }

    var link: Link? {
        switch self {
        case .attempting(_, let link, _), .online(_, let link, _), .leaving(_, let link, _): link
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call?.link
        case .waiting, .paused: nil
        }
    }

    /// The number of its link. Every input asks for it: nothing else is copied for that.
    var connection: ConnectionID? {
        switch self {
        case .attempting(_, let link, _), .online(_, let link, _), .leaving(_, let link, _): link.id
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call?.link.id
        case .waiting, .paused: nil
        }
    }

    /// The link over which the login has been accepted. Requests go out while the sync still runs: the server answers
    /// them like any others, and NIM has said Success by then.
    var openLink: Link? {
        switch self {
        case .online(_, let link, _), .attempting(_, let link, .syncing): link
        case .loggedOut, .attempting, .waiting, .leaving, .kicked, .tokenExpired, .paused: nil
        }
    }

    var outsideCall: OutsideCall? {
        switch self {
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call
        case .attempting, .waiting, .online, .leaving, .paused: nil
        }
    }

    /// The command of a logout that is under way.
    var leaveCommand: CommandID? {
        if case .leaving(_, _, let leave) = self { leave.command } else { nil }
    }

    /// The state that the user sees.
    var state: ClientState {
        switch self {
        case .loggedOut: return .loggedOut
        case .attempting(let login, _, let stage):
            if login.isInterruptionHidden { return .online }
            if stage == .syncing { return .syncing }
            return login.isEstablished ? .reconnecting : .connecting
        case .waiting(let login):
            if login.isInterruptionHidden { return .online }
            return login.isEstablished ? .reconnecting : .offline
        case .online: return .online
        case .leaving(_, _, let leave): return leave.shown
        case .kicked: return .kicked
        case .tokenExpired: return .tokenExpired
        case .paused: return .offline
        }
    }

    mutating func changeLogin(_ change: (inout Login) -> Void) {
        switch self {
        case .attempting(var login, let link, let stage):
            change(&login)
            self = .attempting(login, link, stage)
        case .waiting(var login):
            change(&login)
            self = .waiting(login)
        case .online(var login, let link, let since):
            change(&login)
            self = .online(login, link, since: since)
        case .leaving(var login, let link, let leave):
            change(&login)
            self = .leaving(login, link, leave)
        case .paused(var login):
            change(&login)
            self = .paused(login)
        case .loggedOut, .kicked, .tokenExpired: break
        }
    }

    mutating func changeLink(_ change: (inout Link) -> Void) {
        switch self {
        case .attempting(let login, var link, let stage):
            change(&link)
            self = .attempting(login, link, stage)
        case .online(let login, var link, let since):
            change(&link)
            self = .online(login, link, since: since)
        case .leaving(let login, var link, let leave):
            change(&link)
            self = .leaving(login, link, leave)
        case .loggedOut(var call?), .kicked(_, var call?), .tokenExpired(var call?):
            change(&call.link)
            changeCall(to: call)
        case .loggedOut(nil), .kicked(_, nil), .tokenExpired(nil), .waiting, .paused: break
        }
    }

    /// A call from outside has begun, gone on or ended; there is none beside a login.
    mutating func changeCall(to call: OutsideCall?) {
        switch self {
        case .loggedOut: self = .loggedOut(call)
        case .kicked(let notice, _): self = .kicked(notice, call)
        case .tokenExpired: self = .tokenExpired(call)
        case .attempting, .waiting, .online, .leaving, .paused: break
        }
    }
}

// MARK: Which phase can follow which

extension ClientMachine.Phase {
    /// A phase without what it holds; an attempt by its stages.
    enum Kind: CaseIterable {
        case loggedOut, linking, authenticating, syncing, waiting, online, leaving, kicked, tokenExpired, paused

        /// The phases that can follow this one: the arrows of the diagram of ``ClientMachine``, all of them.
        var successors: [Kind] {
            switch self {
            // A login, the first reference to a tree, or the app's switch; an app that ends ends in loggedOut.
            case .loggedOut, .kicked, .tokenExpired: [.loggedOut, .linking, .paused]
            // Itself on another network, or when an interruption is no secret any more. A notice of a kick may come as
            // soon as there is a link.
            case .linking:
                [.linking, .authenticating, .waiting, .loggedOut, .kicked, .tokenExpired, .paused]
            // Begun anew with a new token, or by a login that takes the place of the one that retries.
            case .authenticating:
                [
                    .authenticating, .syncing, .online, .linking, .waiting, .loggedOut, .kicked, .tokenExpired,
                    .paused,
                ]
            case .syncing:
                [.syncing, .online, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            case .waiting: [.waiting, .linking, .loggedOut, .tokenExpired, .paused]
            case .online: [.linking, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            // The user was going anyway: neither a kick nor a token's end is told any more. A logout that needs the
            // server and did not reach it goes on with the login (CHAT-11).
            case .leaving: [.loggedOut, .linking]
            case .paused: [.linking, .loggedOut, .tokenExpired]
            }
        }
    }

    var kind: Kind {
        switch self {
        case .loggedOut: .loggedOut
        case .attempting(_, _, .linking): .linking
        case .attempting(_, _, .authenticating): .authenticating
        case .attempting(_, _, .syncing): .syncing
        case .waiting: .waiting
        case .online: .online
        case .leaving: .leaving
        case .kicked: .kicked
        case .tokenExpired: .tokenExpired
        case .paused: .paused
        }
    }
}
