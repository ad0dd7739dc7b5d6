import IMProtocol
import SansIO

// The one connection of a system without users: opened by the first reference, taken away and given back by a switch.

extension ClientMachine {
    /// Opens the connection at the first reference (SYNC-1). Every later one finds it, being made, broken or paused.
    mutating func openTree(at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .loggedOut, .kicked, .tokenExpired:
            endAccountCall(.cancelled, into: &effects)
            beginAttempt(guest, because: .login, at: now, into: &effects)
        case .attempting, .waiting, .online, .paused, .leaving: break
        }
    }

    /// Nobody logs in, the device does, under its own name.
    private var guest: Login { Login(user: device.id, credential: "", mode: .guest) }

    /// A switch of the whole client, not a counter: twice is once (SYNC-8). Listeners and writes stay.
    mutating func goOffline(command: CommandID, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.tree) else { return complete(command, .unsupported, into: &effects) }
        switch phase {
        case .leaving: return complete(command, .cancelled, into: &effects)
        case .paused: break
        case .loggedOut, .kicked, .tokenExpired:
            endAccountCall(.cancelled, into: &effects)
            enter(.paused(guest), because: .wentOffline, into: &effects)
        case .attempting(let login, _, _), .waiting(let login), .online(let login, _, _):
            pause(login, because: .wentOffline, into: &effects)
        }
        complete(command, .ok, into: &effects)
    }

    mutating func pause(_ login: Login, because reason: StateReason, into effects: inout [ClientEffect]) {
        if let link, link.isOpen {
            // In order, so that the server need not wait for a silence to do what was left to it (SYNC-6).
            effects.append(.send(link.id, Frame(.goodbye(.wentOffline, detail: ""))))
        }
        endLink(.byUs, into: &effects)
        failRequests(.connectionFailed, into: &effects)
        var login = login
        let waiting = login.command
        login.command = nil
        login.isInterruptionHidden = false
        login.retryCount = 0
        enter(.paused(login), because: reason, into: &effects)
        complete(waiting, .cancelled, into: &effects)
    }

    /// Goes on with the connection, or opens it; one that waits for a retry is tried at once, and one that is being made
    /// is left to it (SYNC-8, S-25).
    mutating func goOnline(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.tree) else { return complete(command, .unsupported, into: &effects) }
        switch phase {
        case .leaving: return complete(command, .cancelled, into: &effects)
        case .paused(let login): beginAttempt(login, because: .login, at: now, into: &effects)
        case .waiting: retryDue(at: now, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: openTree(at: now, into: &effects)
        case .attempting, .online: break
        }
        complete(command, .ok, into: &effects)
    }
}
