import IMProtocol
import SansIO

extension ClientMachine {
    /// The phase of the client, with its state. A case contains at most one `Link`, by itself or in its `AdminCall`, so
    /// the client has at most one connection (C-2). The enum is indirect, so that reading a part of the state does not
    /// copy the whole.
    indirect enum Phase: Hashable, Sendable {
        case loggedOut(AdminCall?)
        /// The client is opening a connection, or logging in over it.
        case attempting(Login, Link, Stage)
        /// The client waits for the timer ``ClientTimer/retry``, or for a new token if the token has expired.
        case waiting(Login)
        /// The client is logged in over an open connection.
        case online(Login, Link, since: Instant)
        /// The client has requested a logout and waits for the server's answer (timer ``ClientTimer/logout``).
        case leaving(Login, Link, PendingLogout)
        case kicked(KickNotice, AdminCall?)
        /// The login has ended because its token expired (ZIM-6).
        case tokenExpired(AdminCall?)
        /// The app has switched the client offline. `goOnline` continues the login (SYNC-8).
        case paused(Login)
    }

    /// The stage of a login attempt.
    package enum Stage: UInt8, Hashable, Sendable, Codable {
        /// The connection is being made.
        case linking
        /// The login request waits for the server's answer.
        case authenticating
        /// The server has accepted the login, and the client is fetching data.
        case syncing
    }

    /// A login, from the app's command to the logout, the kick or the failure that ends it. A reconnect continues the
    /// login.
    struct Login: Hashable, Sendable, Codable {
        var user: String
        var credential: String
        var mode: LoginMode
        /// The app's login command, if it still waits for its completion; nil otherwise (C-1).
        var command: CommandID?
        /// The server's number of the login; 0 before the server has accepted the login.
        var epoch: LoginEpoch = 0
        /// True if the server has accepted the login at least once.
        var isEstablished = false
        /// The number of retries since the server last accepted the login.
        var retryCount = 0
        /// True if the connection is broken and the app has not been notified (RTM-3).
        var isInterruptionHidden = false
        /// The time at which the token expires, by the server's clock in milliseconds since 1970; 0 if unknown.
        var expiresAtMilliseconds: Int64 = 0
        /// The time at which the token was issued, by the server's clock in milliseconds since 1970; 0 if unknown.
        var issuedAtMilliseconds: Int64 = 0
        /// True if the app has been notified that this token will expire. The app is notified once for each token, even
        /// if the client reconnects (CHAT-10, ZIM-6).
        var isWarned = false
        /// True if the client has detected that the token has expired. No attempt uses an expired token (C-11, RTM-5).
        var isTokenExpired = false
        /// True if the client is suspended after a long outage; nil if not. Optional, because recordings of older
        /// versions do not have it.
        var isSuspended: Bool?
        /// The display name that the app gave with the login; nil if it gave none. Optional, because recordings of
        /// older versions do not have it.
        var userName: String?

        /// The display name to send to the server; empty for none. A reconnect sends none, because the user may have
        /// changed the name after the login.
        var newUserName: String { isEstablished ? "" : userName ?? "" }

        /// The mode to send to the server. A reconnect is sent as a resume, which never outranks a newer login (C-6). A
        /// guest login has no user, so another device cannot have replaced it.
        var wireMode: LoginMode { isEstablished && mode != .guest ? .resume : mode }

        /// True if the client retries the login after a failed attempt (NIM-5).
        var isRetried: Bool {
            if isEstablished { return true }
            switch mode {
            case .manual: return false
            case .automatic, .forced, .resume, .offline, .guest: return true
            }
        }
    }

    /// The client's connection to the server. A client has at most one (C-2).
    struct Link: Hashable, Sendable, Codable {
        var id: ConnectionID
        var isOpen = false
        /// The number of hosts that have refused the connection in this attempt; nil for none.
        var hostsRefused: Int?
        /// The time between two heartbeats, if the interval has grown (C-12); nil for the policy's interval.
        var heartbeatWait: Interval?
        /// The instant at which the last frame arrived, or at which the device woke up after that.
        var lastReceived: Instant?
        /// The instant at which the last frame arrived before the device slept. Nil if the device has not slept, or if
        /// a frame has arrived after it woke up.
        var receivedBeforeSleep: Instant?
        /// The checksum of the frames that the client has sent over the connection (C-15).
        var sentChecksum = FrameChecksum()
        /// The checksum of the frames that the client has received over the connection (C-15).
        var receivedChecksum = FrameChecksum()
        /// The number of the last request for a resync. Answers to earlier requests are ignored.
        var resync: UInt32?
        /// The number of the request for a sync, while the client is online and the sync has not ended.
        var sync: UInt32?

        /// Records that a frame has arrived. Frames that arrived while the device slept are received at the instant at
        /// which it wakes up. They do not show that the connection works now.
        mutating func recordReceived(at now: Instant) {
            if let lastReceived, now > lastReceived { receivedBeforeSleep = nil }
            lastReceived = now
        }

        /// Records that the device has slept. The time limit for the answer to a heartbeat starts again. The time of an
        /// interruption still counts from the last frame before the sleep (RTM-3).
        mutating func woke(at now: Instant) {
            receivedBeforeSleep = receivedBeforeSleep ?? lastReceived
            lastReceived = now
        }
    }

    /// A logout that waits for the server's answer.
    struct PendingLogout: Hashable, Sendable {
        var command: CommandID
        var keepsPush: Bool
        /// The state that the app sees until the logout has ended.
        var shownState: ClientState
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

    /// The number of the connection; nil if there is none. Not computed from ``link``, because every input reads it,
    /// and ``link`` copies the whole connection.
    var connection: ConnectionID? {
        switch self {
        case .attempting(_, let link, _), .online(_, let link, _), .leaving(_, let link, _): link.id
        case .loggedOut(let call), .kicked(_, let call), .tokenExpired(let call): call?.link.id
        case .waiting, .paused: nil
        }
    }

    /// The connection over which the server has accepted the login; nil if there is none. Requests can be sent over it
    /// during the sync too, because NIM has then reported the success of the login to the app.
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

    /// The app's command of the logout in progress; nil if there is none.
    var leaveCommand: CommandID? {
        if case .leaving(_, _, let logout) = self { logout.command } else { nil }
    }

    /// The client's state, as the app sees it.
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
        case .leaving(_, _, let logout): return logout.shownState
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
        case .leaving(var login, let link, let logout):
            change(&login)
            self = .leaving(login, link, logout)
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
        case .leaving(let login, var link, let logout):
            change(&link)
            self = .leaving(login, link, logout)
        case .loggedOut(var call?), .kicked(_, var call?), .tokenExpired(var call?):
            change(&call.link)
            changeCall(to: call)
        case .loggedOut(nil), .kicked(_, nil), .tokenExpired(nil), .waiting, .paused: break
        }
    }

    /// Replaces the admin call; nil if the call has ended. Does nothing in a phase with a login, which has no admin
    /// call.
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
    /// The kind of a phase, without its state. Each stage of an attempt is a kind.
    enum Kind: CaseIterable {
        case loggedOut, linking, authenticating, syncing, waiting, online, leaving, kicked, tokenExpired, paused

        /// The kinds of phases that can follow this one: all arrows of the diagram of ``ClientMachine``.
        var successors: [Kind] {
            switch self {
            // A login and the first reference to a tree lead to linking. `goOffline` leads to paused. A logout after a
            // kick, and the end of the app, lead to loggedOut.
            case .loggedOut, .kicked, .tokenExpired: [.loggedOut, .linking, .paused]
            // Linking follows linking after a change of the network, and when the app is notified of an interruption.
            case .linking:
                [.linking, .authenticating, .waiting, .loggedOut, .kicked, .tokenExpired, .paused]
            // Linking follows if the app gives a new token, or if another login replaces this one.
            case .authenticating:
                [
                    .authenticating, .syncing, .online, .linking, .waiting, .loggedOut, .kicked, .tokenExpired,
                    .paused,
                ]
            case .syncing:
                [.syncing, .online, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            case .waiting: [.waiting, .linking, .loggedOut, .tokenExpired, .paused]
            case .online: [.linking, .waiting, .leaving, .loggedOut, .kicked, .tokenExpired, .paused]
            // During a logout, a kick and an expired token are not reported, so they also lead to loggedOut. If a
            // logout requires the server and does not reach it, the client reconnects (CHAT-11).
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
