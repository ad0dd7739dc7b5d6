import IMProtocol
import SansIO

// Ending logins, and the presence that other devices and users see.

extension ServerMachine {
    /// Ends the login of one device. The notice goes to the connection that carries it (C-8) and is kept until the
    /// device confirms it (C-7).
    mutating func endLogin(
        of device: String, user: String, _ reason: KickReason, by cause: Device?, userStaysOnline: Bool = false,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let record = accounts[user]?.devices[device] else { return }
        accounts[user]?.devices[device]?.loggedOutEpoch = nil
        // A device that counts as offline has not been notified that it holds no slot (CHAT-3), nor one whose token has
        // expired that its login ended. They get this notice as well.
        guard let epoch = record.login?.epoch ?? record.releasedEpoch ?? record.expiredEpoch else { return }
        let notice = KickNotice(reason: reason, epoch: epoch, by: cause)
        endPresence(of: device, user: user, as: .kicked, userStaysOnline: userStaysOnline, into: &effects)
        accounts[user]?.devices[device]?.undeliveredKick = notice
        accounts[user]?.devices[device]?.login = nil
        accounts[user]?.devices[device]?.releasedEpoch = nil
        accounts[user]?.devices[device]?.expiredEpoch = nil
        // Such a device can only show its login page: the next logout has no server to send a request to (NIM-10).
        unbindPush(of: device, user: user)
        timers.cancel(.token(user: user, device: device))
        guard let id = record.login?.connection, connections[id] != nil else { return }
        endStage(of: id, user: user, device: device, at: now)
        effects.append(.send(id, Frame(.kicked(notice))))
    }

    /// Stops pushes to the device. Push is bound while the device has a login, connected or away. Every end of the
    /// login unbinds it: a logout, unless the user keeps push, a kick, a ban, a new password, the expiry of the token.
    /// Otherwise a user who logs out after the server ended the login would still get pushes (NIM-10).
    mutating func unbindPush(of device: String, user: String) {
        accounts[user]?.devices[device]?.isPushBound = false
    }

    /// Marks the login of a connection as ended. The connection may only confirm that, and receives nothing else; the
    /// client closes it, or the overdue timer does.
    mutating func endStage(of id: ConnectionID, user: String, device: String, at now: Instant) {
        connections[id]?.stage = .ended(user: user, device: device)
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.goneSinceMilliseconds = clock
        forgetWatcher(id, watching: connections[id]?.watching ?? [])
        connections[id]?.watching = []
        timers.set(.overdue(id), at: now + policy.loginOverdueAfter)
    }

    mutating func confirmKick(of device: String, user: String, epoch: LoginEpoch) {
        if accounts[user]?.devices[device]?.undeliveredKick?.epoch == epoch {
            accounts[user]?.devices[device]?.undeliveredKick = nil
        }
    }

    /// A device ends the login of another device of its user, or of all others (NIM-12).
    mutating func kick(
        _ target: String, of user: String, by device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let account = accounts[user], let cause = account.devices[device]?.device else { return .notFound }
        let targets = account.devices.values.filter {
            $0.hasLogin && $0.device.id != device && (target.isEmpty || $0.device.id == target)
        }
        guard target.isEmpty || !targets.isEmpty else { return .notFound }
        for record in targets {
            endLogin(of: record.device.id, user: user, .otherDevice, by: cause, at: now, into: &effects)
        }
        return .ok
    }

    /// Ends the presence of the device for other devices and users.
    ///
    /// - Parameter userStays: true if another device takes the slot at once, so that watchers of the user see no change
    ///   (ZIM-5).
    mutating func endPresence(
        of device: String, user: String, as change: PresenceChange, userStaysOnline: Bool = false,
        into effects: inout [ServerEffect]
    ) {
        timers.cancel(.presence(user: user, device: device))
        guard let record = accounts[user]?.devices[device], record.login?.isPresent == true else { return }
        accounts[user]?.devices[device]?.login?.isPresent = false
        effects.append(.presence(user: user, device: device, change))
        let others = presentDevices(of: user, besides: device)
        notify(others, .devicesChanged(.logout, [record.device]), into: &effects)
        // Watchers see users, not devices: the user goes offline with the last device (P8).
        if others.isEmpty && !userStaysOnline { notifyWatchers(of: user, change, into: &effects) }
        releaseLoginState(of: user, device: device, into: &effects)
    }

    /// Releases what the login of a device held: its channels and, with the user's last login, the user's attributes
    /// (RTM-4).
    mutating func releaseLoginState(of user: String, device: String, into effects: inout [ServerEffect]) {
        for channel in accounts[user]?.devices[device]?.login?.channels ?? [] {
            leave(channel, user: user, device: device, into: &effects)
        }
        if presentDevices(of: user, besides: device).isEmpty { accounts[user]?.attributes.removeAll() }
    }

    func presentDevices(of user: String, besides device: String) -> [DeviceRecord] {
        (accounts[user]?.devices.values.filter { $0.device.id != device && $0.login?.isPresent == true }) ?? []
    }

    func notify(_ devices: [DeviceRecord], _ body: FrameBody, into effects: inout [ServerEffect]) {
        for record in devices {
            if let id = record.login?.connection { effects.append(.send(id, Frame(body))) }
        }
    }

    /// The connections over which a user can be reached, in the order of the devices' first logins.
    func connections(of user: String) -> [ConnectionID] {
        accounts[user]?.devices.values.compactMap { $0.login?.connection } ?? []
    }
}
