import IMProtocol
import SansIO

extension ClientMachine {
    /// The phase of the client, with its state. There is a connection exactly in the cases that hold one, or an admin
    /// call that holds one (C-2). Indirect, because every input reads a part of it: only that part is copied then.
    indirect enum Phase: Hashable, Sendable {
        case loggedOut(AdminCall?)
        /// A connection is being made or used to log in.
        case attempting(Login, Link, Stage)
        /// A retry is due, unless the token is no longer valid (timer ``ClientTimer/retry``).
        case waiting(Login)
        /// Logged in over an open connection.
        case online(Login, Link, since: Instant)
        /// The server was requested to log out (timer ``ClientTimer/logout``).
        case leaving(Login, Link, Leave)
        case kicked(KickNotice, AdminCall?)
        /// The token's expiry ended the login (ZIM-6).
        case tokenExpired(AdminCall?)
        /// The app has taken the client offline; the login can be continued (SYNC-8).
        case paused(Login)
    }

    /// The progress of an attempt.
    package enum Stage: UInt8, Hashable, Sendable, Codable {
        case linking
        case authenticating
        case syncing
    }

    /// A login from its command to the logout or kick that ends it; reconnects continue it.
    struct Login: Hashable, Sendable, Codable {
        var user: String
        var credential: String
        var mode: LoginMode
        /// The command that waits for the outcome; nil after its completion (C-1).
        var command: CommandID?
        /// The server's number for it; 0 before the first success.
        var epoch: LoginEpoch = 0
        /// True if the server has accepted it at least once.
        var isEstablished = false
        /// Retries started since the last success.
        var retryCount = 0
        /// True if the connection is broken and the app has not been notified (RTM-3).
        var isInterruptionHidden = false
        /// When its token expires, by the server's clock in milliseconds since 1970; 0 if unknown.
        var expiresAtMilliseconds: Int64 = 0
        /// When its token was made, by the same clock; 0 if unknown.
        var issuedAtMilliseconds: Int64 = 0
        /// True if the app has been notified that this token will expire; once is enough, however often the client
        /// reconnects (CHAT-10, ZIM-6).
        var isWarned = false
        /// True if the token is known to be invalid: no attempt uses it (C-11, RTM-5).
        var isTokenExpired = false
        /// True if the outage has lasted so long that the client tries rarely; nil if not. Optional, because an older
        /// version stored none.
        var isSuspended: Bool?
        /// The name that the app wants the user to have; nil if it gives none. Optional, because an older version
        /// stored none.
        var userName: String?

        /// The name to send to the server. An accepted login sends none again, because the user may have changed it
        /// since.
        var newUserName: String { isEstablished ? "" : userName ?? "" }

        /// The mode to send to the server: an accepted login is only resumed (C-6). A guest has no login that another
        /// device could have taken.
        var wireMode: LoginMode { isEstablished && mode != .guest ? .resume : mode }

        /// True if a failure is followed by a retry (NIM-5).
        var isRetried: Bool {
            if isEstablished { return true }
            switch mode {
            case .manual: return false
            case .automatic, .forced, .resume, .offline, .guest: return true
            }
        }
    }

    /// The one connection (C-2).
    struct Link: Hashable, Sendable, Codable {
        var id: ConnectionID
        var isOpen = false
        /// The hosts that refused the connection before this one was tried; nil for none.
        var hostsRefused: Int?
        /// The time between two heartbeats if it has grown (C-12); nil for the policy's.
        var heartbeatWait: Interval?
        /// When a frame last arrived over it, or when the device woke up.
        var lastReceived: Instant?
        /// When a frame last arrived before the device slept; nil after a frame has arrived since it woke.
        var receivedBeforeSleep: Instant?
        /// The checksums of the unsolicited frames that were sent and received over it (C-15).
        var sentChecksum = FrameChecksum()
        var receivedChecksum = FrameChecksum()
        /// The last request for a resync; answers to earlier ones are ignored.
        var resync: UInt32?
        /// The request for a sync that has not ended yet, if the client is online meanwhile.
        var sync: UInt32?

        /// Records that a frame has arrived. Frames that waited while the device slept are read at the instant of its
        /// waking; they do not show that the connection works now.
        mutating func recordReceived(at now: Instant) {
            if let lastReceived, now > lastReceived { receivedBeforeSleep = nil }
            lastReceived = now
        }

        /// Records that the device has slept. The time for an answer starts again, but an interruption counts from
        /// before (RTM-3).
        mutating func woke(at now: Instant) {
            receivedBeforeSleep = receivedBeforeSleep ?? lastReceived
            lastReceived = now
        }
    }

    /// A requested logout.
    struct Leave: Hashable, Sendable {
        var command: CommandID
        var keepsPush: Bool
        /// The state that the user sees until it is done.
        var shown: ClientState
    }
}

// MARK: The state of a phase

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

    /// The generation of its connection. Every input reads it, so nothing else is copied.
    var connection: ConnectionID? {
        switch self {
        case .attempting(_, let link, _), .online(_, let link, _), .leaving(_, let link, _): link.id
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call?.link.id
        case .waiting, .paused: nil
        }
    }

    /// The connection over which the login has been accepted. Requests are already sent while the sync runs: the server
    /// answers them like any others, and NIM has reported success by then.
    var openLink: Link? {
        switch self {
        case .online(_, let link, _), .attempting(_, let link, .syncing): link
        case .loggedOut, .attempting, .waiting, .leaving, .kicked, .tokenExpired, .paused: nil
        }
    }

    var adminCall: AdminCall? {
        switch self {
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call
        case .attempting, .waiting, .online, .leaving, .paused: nil
        }
    }

    /// The command of a logout in progress.
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

    /// Stores an admin call that has started, continued or ended; there is none besides a login.
    mutating func changeCall(to call: AdminCall?) {
        switch self {
        case .loggedOut: self = .loggedOut(call)
        case .kicked(let notice, _): self = .kicked(notice, call)
        case .tokenExpired: self = .tokenExpired(call)
        case .attempting, .waiting, .online, .leaving, .paused: break
        }
    }
}

// MARK: Successors of a phase

extension ClientMachine.Phase {
    /// A phase without its state; an attempt by its stages.
    enum Kind: CaseIterable {
        case loggedOut, linking, authenticating, syncing, waiting, online, leaving, kicked, tokenExpired, paused

        /// The phases that can follow this one: the arrows of the diagram of ``ClientMachine``, all of them.
        var successors: [Kind] {
            switch self {
            // A login, the first reference to a tree, or `goOffline`; the end of the app leads to loggedOut.
            case .loggedOut, .kicked, .tokenExpired: [.loggedOut, .linking, .paused]
            // Linking again on another network, or after an interruption is revealed. A notice of a kick may arrive as
            // soon as there is a connection.
            case .linking:
                [.linking, .authenticating, .waiting, .loggedOut, .kicked, .tokenExpired, .paused]
            // Started again with a new token, or by a login that replaces the retrying one.
            case .authenticating:
                [
                    .authenticating, .syncing, .online, .linking, .waiting, .loggedOut, .kicked, .tokenExpired,
                    .paused,
                ]
            case .syncing:
                [.syncing, .online, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            case .waiting: [.waiting, .linking, .loggedOut, .tokenExpired, .paused]
            case .online: [.linking, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            // The user is leaving: neither a kick nor a token's expiry is reported any more. A logout that requires the
            // server and did not reach it continues the login (CHAT-11).
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
