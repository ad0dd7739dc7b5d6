import IMProtocol
import SansIO

// Ending logins, and reporting the change of presence to other devices and users.

extension ServerMachine {
    /// Ends the login of one device. The kick notice is sent over the connection of the login (C-8), and stored until
    /// the device confirms it (C-7).
    mutating func endLogin(
        of device: String, user: String, _ reason: KickReason, by cause: Device?, userStaysOnline: Bool = false,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let record = accounts[user]?.devices[device] else { return }
        accounts[user]?.devices[device]?.loggedOutEpoch = nil
        // Two kinds of devices have no login and get the notice, too, because they were not notified of its end: a
        // device that was disconnected so long that it lost its slot (CHAT-3), and one whose token expired.
        guard let epoch = record.login?.epoch ?? record.releasedEpoch ?? record.expiredEpoch else { return }
        let notice = KickNotice(reason: reason, epoch: epoch, by: cause)
        endPresence(of: device, user: user, as: .kicked, userStaysOnline: userStaysOnline, into: &effects)
        accounts[user]?.devices[device]?.undeliveredKick = notice
        accounts[user]?.devices[device]?.login = nil
        accounts[user]?.devices[device]?.releasedEpoch = nil
        accounts[user]?.devices[device]?.expiredEpoch = nil
        // A kicked device cannot unbind push by a logout, because it no longer has a connection with a login (NIM-10).
        unbindPush(of: device, user: user)
        timers.cancel(.token(user: user, device: device))
        guard let id = record.login?.connection, connections[id] != nil else { return }
        endStage(of: id, user: user, device: device, at: now)
        effects.append(.send(id, Frame(.kicked(notice))))
    }

    /// Stops pushes to the device. Push is bound while the device has a login, whether it is connected or not. Every
    /// end of the login unbinds push: a logout (unless the user keeps push), a kick, a ban, a new password, the expiry
    /// of the token. Otherwise a user whose login the server ended could not stop the pushes (NIM-10).
    mutating func unbindPush(of device: String, user: String) {
        accounts[user]?.devices[device]?.isPushBound = false
    }

    /// Marks the login of a connection as ended. The connection may only confirm the kick notice, and receives nothing
    /// else. The client closes it; if not, the `overdue` timer does.
    mutating func endStage(of id: ConnectionID, user: String, device: String, at now: Instant) {
        connections[id]?.stage = .ended(user: user, device: device)
        let clock = wallClock(at: now)
        accounts[user]?.devices[device]?.goneSinceMilliseconds = clock
        removeWatcher(id, watching: connections[id]?.watching ?? [])
        connections[id]?.watching = []
        timers.set(.overdue(id), at: now + policy.loginOverdueAfter)
    }

    mutating func confirmKick(of device: String, user: String, epoch: LoginEpoch) {
        if accounts[user]?.devices[device]?.undeliveredKick?.epoch == epoch {
            accounts[user]?.devices[device]?.undeliveredKick = nil
        }
    }

    /// Ends the login of one other device of the user, as a device requested; of all others if `target` is empty
    /// (NIM-12).
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

    /// Makes a device offline, and notifies the user's other devices and watchers.
    ///
    /// - Parameter userStaysOnline: true if another device takes the slot at once. The watchers of the user are not
    ///   notified then, because the user remains online (ZIM-5).
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
        // Watchers are notified of users, not of devices: the user goes offline with the last device (P8).
        if others.isEmpty && !userStaysOnline { notifyWatchers(of: user, change, into: &effects) }
        releaseLoginState(of: user, device: device, into: &effects)
    }

    /// Removes the device's login from its channels. With the user's last login, the user's attributes are removed
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

    /// The connections of a user's devices, in the order of the devices' first logins.
    func connections(of user: String) -> [ConnectionID] {
        accounts[user]?.devices.values.compactMap { $0.login?.connection } ?? []
    }
}
