import IMClient
import IMProtocol
import IMSession
import SansIO

/// The observed state of one client, derived from its events alone and not from its machine. All checkers of the client
/// read the trace; only `CheckerSet` adds events to it. `@exclusivity(unchecked)`: see `WorldCore`.
package final class ClientTrace {
    /// True if the client's process is running.
    @exclusivity(unchecked) package private(set) var isRunning = false
    /// The client's state after its last transition.
    @exclusivity(unchecked) package private(set) var state = ClientState.loggedOut
    /// True if the app has switched the client offline (SYNC-8).
    @exclusivity(unchecked) package private(set) var isSwitchedOff = false
    /// True if another process of the device replaced this one. Only the app can start a new connection (SYNC-1).
    @exclusivity(unchecked) package private(set) var isReplaced = false
    /// True if the server refused the last login request for a permanent reason.
    @exclusivity(unchecked) package private(set) var isRefused = false
    /// The input to which the current effects belong.
    @exclusivity(unchecked) package private(set) var input: NodeInput?
    /// True if the input comes from a connection that has ended or was replaced.
    @exclusivity(unchecked) package private(set) var isInputStale = false
    /// The connections that the client requested and that have not ended, oldest first.
    @exclusivity(unchecked) package private(set) var links: [ConnectionID] = []
    /// The connection that is open; nil if none is.
    @exclusivity(unchecked) package private(set) var openLink: ConnectionID?
    /// The connection over which the server accepted the login.
    @exclusivity(unchecked) package private(set) var acceptedLink: ConnectionID?
    /// The time of the last frame on the open connection, or the time of its opening if there was no frame.
    @exclusivity(unchecked) package private(set) var lastFrameAt: Instant?
    /// The time at which the device last woke or the process started.
    @exclusivity(unchecked) package private(set) var awakeSince = Instant.zero
    /// The user of the current login, derived from commands and their effects.
    @exclusivity(unchecked) package private(set) var user: String?
    /// The user of a login command in the current input. With the first effect of that login it becomes `user`.
    @exclusivity(unchecked) private var candidate: String?
    /// The id of the device. It remains known after the client is closed.
    @exclusivity(unchecked) package private(set) var device = ""
    /// The time of the last disturbance of the client's network or process.
    @exclusivity(unchecked) package private(set) var stableSince = Instant.zero
    /// True if the network could not lose or reorder single frames at any time of the running process.
    @exclusivity(unchecked) package private(set) var isReliable = true
    /// True while the network may lose or reorder single frames.
    @exclusivity(unchecked) private var isImpaired = false
    /// True if the client's local data was open after the last transition.
    @exclusivity(unchecked) package var isDataOpen = false
    /// The index of the client's node.
    package let node: Int
    /// The server's wall clock at the start of the session, in milliseconds since 1970.
    package let epochMilliseconds: Int64

    package init(node: Int = 0, device: String = "", epochMilliseconds: Int64 = 0) {
        self.device = device
        self.node = node
        self.epochMilliseconds = epochMilliseconds
    }

    /// Creates the trace of a copy of a world. The copy continues independently.
    package init(copying other: ClientTrace) {
        isRunning = other.isRunning
        state = other.state
        isSwitchedOff = other.isSwitchedOff
        isReplaced = other.isReplaced
        isRefused = other.isRefused
        input = other.input
        isInputStale = other.isInputStale
        links = other.links
        openLink = other.openLink
        acceptedLink = other.acceptedLink
        lastFrameAt = other.lastFrameAt
        awakeSince = other.awakeSince
        user = other.user
        candidate = other.candidate
        device = other.device
        stableSince = other.stableSince
        isReliable = other.isReliable
        isImpaired = other.isImpaired
        isDataOpen = other.isDataOpen
        node = other.node
        epochMilliseconds = other.epochMilliseconds
    }

    /// Adds an event. Call it before the checkers observe the event.
    package func note(_ event: SessionEvent) {
        noteDisturbance(event)
        switch event.content {
        case .start(let record):
            if case .client(_, let described, _, _, _, _) = record.body { device = described.id }
            forget()
            isRunning = true
            awakeSince = event.time
        case .stop: forget()
        case .input(let input): handleInput(input, at: event.time)
        case .effect(let effect): handleEffect(effect, at: event.time)
        case .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
    }

    private func noteDisturbance(_ event: SessionEvent) {
        switch event.content {
        case .start: if !isImpaired { isReliable = true }
        case .environment(.net(.rule)), .environment(.net(.loss)), .environment(.net(.halfOpen)):
            (isReliable, isImpaired) = (false, true)
        case .environment(.net(.clear)): isImpaired = false
        case .stop, .environment, .input(.app(.woke)): break
        // A client that another process replaced can start again with any command (SYNC-1).
        case .input(.clientCommand) where isReplaced: break
        // The client retries a login that a newer login of the same device replaced.
        case .input(.frame(_, let frame)) where state == .connecting:
            guard case .goodbye(.replaced, _) = frame.body else { return }
        default: return
        }
        stableSince = event.time
    }

    private func forget() {
        isRunning = false
        state = .loggedOut
        isSwitchedOff = false
        isReplaced = false
        isRefused = false
        input = nil
        isInputStale = false
        links.removeAll()
        (openLink, acceptedLink) = (nil, nil)
        lastFrameAt = nil
        awakeSince = .zero
        (user, candidate) = (nil, nil)
    }

    private func handleInput(_ input: NodeInput, at now: Instant) {
        self.input = input
        isInputStale = false
        candidate = nil
        if case .clientCommand(_, .login(let call)) = input { candidate = call.user }
        if let connection = input.link { isInputStale = links.last != connection }
        switch input {
        case .linkOpened(let id) where !isInputStale:
            openLink = id
            lastFrameAt = now
        case .frame(let id, let frame) where id == openLink:
            lastFrameAt = now
            guard case .loginAck(let reply) = frame.body else { break }
            isRefused = reply.status.isFatalForLogin
            if reply.status == .ok { acceptedLink = id }
        // An app that is closed while its device sleeps is closed before it handles any other input.
        case .app(.woke), .app(.closing): awakeSince = now
        default: break
        }
    }

    private func handleEffect(_ effect: NodeEffect, at now: Instant) {
        switch effect {
        case .transition(let change):
            state = change.to
            isSwitchedOff = change.to == .offline && change.reason == .wentOffline
            isReplaced = change.to == .offline && change.reason == .remoteLogin
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

    /// Updates the connections. Call the method after the checkers: they need the connections that the event ends.
    package func finish(_ event: SessionEvent) {
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
    /// The connection that the input comes from; nil if none.
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
    /// True if no user is logged in and no login is in progress.
    package var isOver: Bool {
        switch self {
        case .loggedOut, .kicked, .tokenExpired: true
        default: false
        }
    }
}
