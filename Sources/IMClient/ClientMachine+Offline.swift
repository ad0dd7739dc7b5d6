import IMProtocol
import SansIO

// The connection of the tree, a system without users. The first reference to the tree opens the connection. The app can
// switch the client offline and online again.

extension ClientMachine {
    /// Opens the connection at the first reference to the tree (SYNC-1). Later references use the same connection. They
    /// do not open it if the app has switched the client offline.
    mutating func openTree(at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .loggedOut, .kicked, .tokenExpired:
            endAccountCall(.cancelled, into: &effects)
            startAttempt(guest, because: .login, at: now, into: &effects)
        case .attempting, .waiting, .online, .paused, .leaving: break
        }
    }

    /// The login of a device without a user: the device's id takes the place of the user.
    private var guest: Login { Login(user: device.id, credential: "", mode: .guest) }

    /// Switches the whole client offline. Several calls need only one `goOnline` (SYNC-8). Listeners and pending writes
    /// remain.
    mutating func goOffline(command: CommandID, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.tree) else { return effects.complete(command, .unsupported) }
        switch phase {
        case .leaving: return effects.complete(command, .cancelled)
        case .paused: break
        case .loggedOut, .kicked, .tokenExpired:
            endAccountCall(.cancelled, into: &effects)
            enter(.paused(guest), because: .wentOffline, into: &effects)
        case .attempting(let login, _, _), .waiting(let login), .online(let login, _, _):
            pause(login, because: .wentOffline, into: &effects)
        }
        effects.complete(command, .ok)
    }

    /// Closes the connection, and does not connect again until the app calls `goOnline`.
    mutating func pause(_ login: Login, because reason: StateReason, into effects: inout [ClientEffect]) {
        if let link, link.isOpen {
            // After this frame the server runs the onDisconnect operations at once. Without it, the server would wait
            // for its silence limit (SYNC-6).
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
        effects.complete(waiting, .cancelled)
    }

    /// Switches the client online: opens the connection, or runs a waiting retry at once. An attempt that is in
    /// progress continues (SYNC-8, S-25).
    mutating func goOnline(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.tree) else { return effects.complete(command, .unsupported) }
        switch phase {
        case .leaving: return effects.complete(command, .cancelled)
        case .paused(let login): startAttempt(login, because: .login, at: now, into: &effects)
        case .waiting: retryDue(at: now, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: openTree(at: now, into: &effects)
        case .attempting, .online: break
        }
        effects.complete(command, .ok)
    }
}
