import IMProtocol
import SansIO

// The one connection of a system without users: opened by the first reference, paused and resumed by the app.

extension ClientMachine {
    /// Opens the connection at the first reference (SYNC-1). Later references use it, whether it is opening, broken or
    /// paused.
    mutating func openTree(at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .loggedOut, .kicked, .tokenExpired:
            endAccountCall(.cancelled, into: &effects)
            startAttempt(guest, because: .login, at: now, into: &effects)
        case .attempting, .waiting, .online, .paused, .leaving: break
        }
    }

    /// The device logs in under its own id, without a user.
    private var guest: Login { Login(user: device.id, credential: "", mode: .guest) }

    /// Switches the whole client offline; repeated calls do not add up (SYNC-8). Listeners and writes stay.
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
            // In order, so that the server runs the onDisconnect operations without waiting for a silence (SYNC-6).
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

    /// Resumes the connection, or opens it. A waiting retry runs at once; a connection attempt in progress continues
    /// (SYNC-8, S-25).
    mutating func goOnline(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.tree) else { return complete(command, .unsupported, into: &effects) }
        switch phase {
        case .leaving: return complete(command, .cancelled, into: &effects)
        case .paused(let login): startAttempt(login, because: .login, at: now, into: &effects)
        case .waiting: retryDue(at: now, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: openTree(at: now, into: &effects)
        case .attempting, .online: break
        }
        complete(command, .ok, into: &effects)
    }
}
