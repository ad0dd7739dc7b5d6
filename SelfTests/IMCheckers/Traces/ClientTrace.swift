import IMClient
import IMProtocol
import IMSession
import SansIO

/// What has been seen of one client from outside: its events, folded. Oracles stand on this and on no machine's memory.
/// They all read the same one, which only its owner folds events into. `@exclusivity(unchecked)`: see `WorldCore`.
package final class ClientTrace {
    /// Whether its process runs.
    @exclusivity(unchecked) package private(set) var isRunning = false
    /// As its transitions said.
    @exclusivity(unchecked) package private(set) var state = ClientState.loggedOut
    /// Whether the app has taken it offline (SYNC-8).
    @exclusivity(unchecked) package private(set) var isSwitchedOff = false
    /// Whether it has given way to another process of its device, and goes on only where the app wants that (SYNC-1).
    @exclusivity(unchecked) package private(set) var hasGivenWay = false
    /// Whether the server refused the last login frame for a reason that does not pass by itself.
    @exclusivity(unchecked) package private(set) var isRefused = false
    /// The input whose effects are coming.
    @exclusivity(unchecked) package private(set) var input: NodeInput?
    /// Whether the input is of a link that was ended or replaced.
    @exclusivity(unchecked) package private(set) var isInputStale = false
    /// The links that were asked for and have not ended, oldest first.
    @exclusivity(unchecked) package private(set) var links: [ConnectionID] = []
    /// The link that is open.
    @exclusivity(unchecked) package private(set) var openLink: ConnectionID?
    /// The link over which the server has accepted the login.
    @exclusivity(unchecked) package private(set) var acceptedLink: ConnectionID?
    /// When something last came over the open link.
    @exclusivity(unchecked) package private(set) var heardAt: Instant?
    /// When it last woke, or its process began.
    @exclusivity(unchecked) package private(set) var awakeSince = Instant.zero
    /// Whose login it is, by its commands and what came of them.
    @exclusivity(unchecked) package private(set) var user: String?
    /// For whom a login was asked for in this very input; it is theirs as soon as something comes of it.
    @exclusivity(unchecked) private var candidate: String?

    package init() {}

    /// For a world that goes on beside the one it was seen in.
    package init(copying other: ClientTrace) {
        isRunning = other.isRunning
        state = other.state
        isSwitchedOff = other.isSwitchedOff
        hasGivenWay = other.hasGivenWay
        isRefused = other.isRefused
        input = other.input
        isInputStale = other.isInputStale
        links = other.links
        openLink = other.openLink
        acceptedLink = other.acceptedLink
        heardAt = other.heardAt
        awakeSince = other.awakeSince
        user = other.user
        candidate = other.candidate
    }

    /// Takes in an event before the oracles see it.
    package func note(_ event: SessionEvent) {
        switch event.content {
        case .start:
            forget()
            isRunning = true
            awakeSince = event.time
        case .stop: forget()
        case .input(let input): given(input, at: event.time)
        case .effect(let effect): asked(effect, at: event.time)
        case .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
    }

    private func forget() {
        isRunning = false
        state = .loggedOut
        isSwitchedOff = false
        hasGivenWay = false
        isRefused = false
        input = nil
        isInputStale = false
        links.removeAll()
        (openLink, acceptedLink) = (nil, nil)
        heardAt = nil
        awakeSince = .zero
        (user, candidate) = (nil, nil)
    }

    private func given(_ input: NodeInput, at now: Instant) {
        self.input = input
        isInputStale = false
        candidate = nil
        if case .clientCommand(_, .login(let user, _, _, _, _)) = input { candidate = user }
        if let connection = input.link { isInputStale = links.last != connection }
        switch input {
        case .linkOpened(let id) where !isInputStale:
            openLink = id
            heardAt = now
        case .frame(let id, let frame) where id == openLink:
            heardAt = now
            guard case .loginAck(let reply) = frame.body else { break }
            isRefused = reply.status.isFatalForLogin
            if reply.status == .ok { acceptedLink = id }
        // One that ends in its sleep does nothing else first.
        case .app(.woke), .app(.closing): awakeSince = now
        default: break
        }
    }

    private func asked(_ effect: NodeEffect, at now: Instant) {
        switch effect {
        case .transition(let change):
            state = change.to
            isSwitchedOff = change.to == .offline && change.reason == .wentOffline
            hasGivenWay = change.to == .offline && change.reason == .remoteLogin
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: user = nil
            case .connecting, .syncing, .online, .reconnecting, .offline: takeCandidate()
            }
        case .connect: takeCandidate()
        case .data(let request):
            if case .open(let opened) = request.action, opened == candidate { takeCandidate() }
        default: break
        }
    }

    private func takeCandidate() {
        if let candidate { user = candidate }
        candidate = nil
    }

    /// Takes in an event behind the oracles: what they need from before it is gone then.
    package func settle(_ event: SessionEvent) {
        switch event.content {
        case .input(.linkFailed(let id, _)), .input(.linkClosed(let id, _)), .effect(.closeLink(let id)):
            links.removeAll { $0 == id }
            if openLink == id { openLink = nil }
            if acceptedLink == id { acceptedLink = nil }
        case .effect(.connect(let id)): links.append(id)
        default: break
        }
    }
}

extension NodeInput {
    /// The link that it comes from; nil where it comes from none.
    package var link: ConnectionID? {
        switch self {
        case .linkOpened(let id), .linkFailed(let id, _), .linkClosed(let id, _), .frame(let id, _),
            .unreadable(let id, _):
            id
        default: nil
        }
    }
}

extension ClientState {
    /// Whether nobody is logged in, and nothing is tried.
    package var isOver: Bool {
        switch self {
        case .loggedOut, .kicked, .tokenExpired: true
        default: false
        }
    }
}
