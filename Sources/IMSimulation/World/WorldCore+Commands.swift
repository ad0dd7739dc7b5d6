import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// The reason why a world cannot do something, in one line that also says what to do.
public struct WorldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, and what to do about it.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}

// The user's actions on a world. Each function returns when the action has begun. The results of the action are events.

extension WorldCore {
    /// Starts the server with the stored accounts.
    package func startServer() throws {
        guard let policy = configuration.serverPolicy, serverID == nil else { return }
        let id = addNode(Node(name: Self.serverName, isServer: true, profile: configuration.profile, device: nil))
        var machine = ServerMachine(policy: policy, epochMilliseconds: configuration.epochNanoseconds / 1_000_000)
        do {
            try accountSaver?.restore(into: &machine)
        } catch {
            throw WorldError("\(error)")
        }
        try start(id, StartRecord(name: Self.serverName, profile: configuration.profile, body: .server(machine)))
        network?.setListening(true)
    }

    /// Creates a client: an app on a device, installed and started.
    ///
    /// - Parameter policy: the policy of its SDK; nil for the world's own.
    @discardableResult
    public func addClient(
        _ name: String, device: String? = nil, platform: Platform, deviceName: String = "", osType: UInt32 = 0,
        ext: String = "", policy: ClientPolicy? = nil, nonce: UInt64? = nil
    ) throws -> NodeID {
        guard NodeName.isValid(name) else {
            throw WorldError("'\(name)' is not a valid client name; use letters, digits, - and _")
        }
        guard name != Self.serverName, name != "session" else {
            throw WorldError("'\(name)' is already used; choose another name for the client")
        }
        guard node(named: name) == nil else {
            throw WorldError("the client '\(name)' already exists; 'client list' shows all clients")
        }
        let seed = makeSeed()
        let proposed = device ?? "\(name)-\(NodeName.suffix(of: seed))"
        let id =
            device != nil
            ? proposed
            : try store.installation(profile: configuration.profile, client: name, proposed: proposed)
        let described = Device(id: id, platform: platform, name: deviceName, osType: osType, ext: ext)
        guard described.isValid else {
            throw WorldError("the device's id, name or extension is too long or unprintable")
        }
        let node = addNode(Node(name: name, isServer: false, profile: configuration.profile, device: described))
        nodes[node.rawValue].clientPolicy = policy
        network?.clientAdded(node, seed: seed &+ 1)
        try startClient(node, described, seed: seed, nonce: nonce)
        return node
    }

    /// Restarts a client's process with a new description of the device by its app: a name, a number for its platform,
    /// an extension (CHAT-5). Its device id and its stored data stay the same.
    public func describe(_ id: NodeID, deviceName: String, osType: UInt32, ext: String) throws {
        try requireRunning(id)
        guard var device = self[id].device else { return }
        device.name = deviceName
        device.osType = osType
        device.ext = ext
        guard device.isValid else { throw WorldError("the device's name or extension is too long or unprintable") }
        try app(.kill, client: id)
        nodes[id.rawValue].device = device
        try app(.start, client: id)
    }

    private func startClient(_ id: NodeID, _ device: Device, seed: UInt64, nonce: UInt64? = nil) throws {
        let name = self[id].name
        let local = try store.load(profile: configuration.profile, client: name)
        try start(
            id,
            StartRecord(
                name: name, profile: configuration.profile,
                body: .client(
                    policy: nodes[id.rawValue].clientPolicy ?? configuration.clientPolicy, device: device, local: local,
                    seed: seed,
                    firstConnection: nodes[id.rawValue].nextConnection, nonce: nonce ?? drawNonce())))
    }

    /// Sends a command to a client. Returns its number, which the command's completion contains.
    @discardableResult
    public func command(_ command: ClientCommand, client id: NodeID) throws -> CommandID {
        try requireRunning(id)
        let command = try prepared(command, client: id)
        let number = makeCommandID()
        deliver(.clientCommand(number, command), to: id)
        return number
    }

    /// The device's own clock, in milliseconds since 1970.
    func deviceMilliseconds(of id: NodeID) -> Int64 {
        wallMilliseconds + read(id) { $0.clockSkew }.inMilliseconds
    }

    /// Returns a command that queued during a sleep, with the device's clock at the time of waking; any other input
    /// unchanged.
    ///
    /// - Parameter ahead: the sum of the clock changes that are queued after the command.
    func readingClock(_ input: NodeInput, of id: NodeID, setBack ahead: Interval) -> NodeInput {
        guard case .clientCommand(let number, let command) = input else { return input }
        let device = deviceMilliseconds(of: id) - ahead.inMilliseconds
        switch command {
        case .login(var call):
            call.clock.deviceMilliseconds = device
            return .clientCommand(number, .login(call))
        case .renewToken(let credential, var clock):
            clock.deviceMilliseconds = device
            return .clientCommand(number, .renewToken(credential: credential, clock: clock))
        case .tree(let request, var clock):
            clock.deviceMilliseconds = device
            return .clientCommand(number, .tree(request, clock: clock))
        case .call(var request):
            request.deviceMilliseconds = device
            return .clientCommand(number, .call(request))
        default: return input
        }
    }

    /// Returns the command with the data that only a host has: the expiry of the token and the device's clock. Creates
    /// the token that the command names if necessary.
    private func prepared(_ command: ClientCommand, client id: NodeID) throws -> ClientCommand {
        func clock(_ credential: String, user: String) throws -> TokenClock {
            do {
                try vault.prepare(credential, user: user, wallMilliseconds: wallMilliseconds)
            } catch {
                throw WorldError("cannot create a token for '\(user)': \(error)")
            }
            return TokenClock(
                expiresAtMilliseconds: vault.expiry(of: credential),
                deviceMilliseconds: deviceMilliseconds(of: id))
        }
        switch command {
        case .login(var call):
            let named =
                call.credential.isEmpty
                ? read(id) { $0.machine?.client?.storedCredential(of: call.user) } ?? "" : call.credential
            call.clock = try clock(named, user: call.user)
            return .login(call)
        case .renewToken(let credential, _):
            return .renewToken(
                credential: credential, clock: try clock(credential, user: user(of: id) ?? ""))
        case .accountCall(let user, let credential, _):
            _ = try clock(credential, user: user)
            return command
        case .tree(let request, _):
            return .tree(request, clock: TokenClock(deviceMilliseconds: deviceMilliseconds(of: id)))
        case .call(var request):
            request.deviceMilliseconds = deviceMilliseconds(of: id)
            return .call(request)
        default: return command
        }
    }

    /// Sets the wall clock of a client's device; positive is ahead of true time, negative is behind it (C-10).
    public func setClockSkew(by interval: Interval, client id: NodeID) throws {
        let skewed = noteEnvironment(.clockSkew(interval), node: id)
        let jump = interval - read(id) { $0.clockSkew }
        nodes[id.rawValue].clockSkew = interval
        if isRunning(id) { deliver(.app(.clockSet(by: jump)), to: id, cause: skewed) }
    }

    /// Sends a command to the server. Returns its number, which the command's completion contains.
    @discardableResult
    public func command(_ command: ServerCommand) throws -> CommandID {
        guard let id = serverID else {
            throw WorldError("the server is another process; 'server' commands need a shell without --connect")
        }
        guard isRunning(id) else { throw WorldError("the server is down; 'server up' starts it") }
        switch command {
        case .deleteAccount(let user):
            try vault.forgetPassword(of: user)
            vault.revokeTokens(of: user, wallMilliseconds: wallMilliseconds)
        case .passwordChanged(let user), .revokeTokens(let user):
            vault.revokeTokens(of: user, wallMilliseconds: wallMilliseconds)
        case .addAccount, .banAccount, .kick, .listDevices, .setPolicy, .populate, .populateData, .putChange,
            .setRefusal, .setTreeRule, .listTreeRules, .shutDown:
            break
        }
        let number = makeCommandID()
        deliver(.serverCommand(number, command), to: id)
        return number
    }

    /// Acts on a client's app. Throws ``WorldError`` if the action is not possible now, such as starting an app that
    /// runs.
    public func app(_ action: AppAction, client id: NodeID) throws {
        let name = self[id].name
        switch action {
        case .kill:
            guard self[id].machine != nil else { throw WorldError("the app of '\(name)' is not running") }
            if let machine = self[id].client { nodes[id.rawValue].nextConnection = machine.nextConnection }
            stop(id)
        case .start:
            guard !self[id].isClosed else { throw WorldError("'\(name)' is closed; its name cannot be used again") }
            guard self[id].machine == nil else { throw WorldError("the app of '\(name)' is already running") }
            guard let device = self[id].device else { return }
            try startClient(id, device, seed: makeSeed())
        case .background:
            try requireRunning(id)
            deliver(.app(.background), to: id)
        case .foreground:
            try requireRunning(id)
            deliver(.app(.foreground), to: id)
        case .close: try closeClient(id)
        case .sleep(let length):
            try requireRunning(id)
            guard length > .zero else { throw WorldError("a sleep needs a duration: app sleep 10m") }
            freeze(id, until: now + length, cause: noteEnvironment(.sleep(length), node: id))
        }
    }

    /// Removes a client: its process ends and its name stays reserved.
    public func closeClient(_ id: NodeID) throws {
        guard !self[id].isClosed else { throw WorldError("'\(self[id].name)' is already closed") }
        nodes[id.rawValue].frozen = nil
        if isRunning(id) { deliver(.app(.closing), to: id) }
        stop(id)
        nodes[id.rawValue].isClosed = true
    }

    /// Changes the network of a client.
    ///
    /// - Returns: the frames that `release` and `clear` released.
    @discardableResult
    public func net(_ action: NetAction, client id: NodeID) -> ReleasedFrames {
        carryOut(action, client: id, cause: noteEnvironment(.net(action), node: id))
    }

    /// Changes the network of a client; the caller has recorded the user's action.
    ///
    /// - Parameter cause: the event of that action.
    @discardableResult
    func carryOut(_ action: NetAction, client id: NodeID, cause: EventID) -> ReleasedFrames {
        let change: NetworkChange? =
            switch action {
            case .down: .down
            case .switchNetwork: .switched
            case .up: .up
            case .clear: network?.conditions(of: id)?.carriesPackets == false ? .up : nil
            case .halfOpen, .reset, .delay, .loss, .rule, .release: nil
            }
        let released = network?.apply(action, to: id, cause: cause) {
            if let change { deliver(.network(change), to: id, cause: cause) }
        }
        return released ?? ReleasedFrames()
    }

    /// The verdict that the server receives for a credential: `revoked` instead of `valid` if the server has revoked
    /// the credential. It also contains the number of the source address.
    ///
    /// - Parameter address: the source address of the credential.
    package func serverVerdict(_ verdict: CredentialVerdict, from address: String) -> CredentialVerdict {
        var noted = verdict
        let server = serverID.flatMap { self[$0].machine?.server }
        if verdict.finding == .valid, server?.isRevoked(verdict) == true { noted.finding = .revoked }
        let isWrong =
            switch verdict.finding {
            case .wrong, .tooOften: true
            case .missing: server?.policy.admitsWithoutCredential == false
            case .valid, .expired, .revoked: false
            }
        noted.origin = vault.origin(of: address, isWrong: isWrong, wallMilliseconds: wallMilliseconds)
        return noted
    }

    /// An action on the server's process.
    public enum ServerAction: Hashable, Sendable {
        /// Ends the process, as a crash does; accounts, stored messages and the tree are kept.
        case down
        /// Starts the process with the stored state.
        case up
        /// Ends the process and starts it again.
        case restart
    }

    /// Acts on the server's process. Throws ``WorldError`` if the server is another process, or is already in that
    /// state.
    public func server(_ action: ServerAction) throws {
        guard let id = serverID else {
            throw WorldError("the server is another process; 'server' commands need a shell without --connect")
        }
        switch action {
        case .down:
            try stopServer(id)
        case .up:
            try restartServer(id)
        case .restart:
            try stopServer(id)
            try restartServer(id)
        }
    }

    private func stopServer(_ id: NodeID) throws {
        // The last inputs are saved first. If this fails, the server is suspended.
        saveAndCarryOut()
        if diskFullState?.machine != nil, diskFullState?.startsServer == true {
            diskFullState?.startsServer = false
            return
        }
        guard let machine = self[id].machine?.server else { throw WorldError("the server is already down") }
        network?.setListening(false)
        // The accounts, stored messages and the tree remain; the connections do not.
        nodes[id.rawValue].stoppedServer = machine.withoutConnections(at: now)
        stop(id)
    }

    private func restartServer(_ id: NodeID) throws {
        guard diskFullState?.machine == nil else {
            diskFullState?.startsServer = true
            throw WorldError("the server cannot write its data now; it starts when it can")
        }
        guard self[id].machine == nil, var kept = self[id].stoppedServer else {
            throw WorldError("the server is already up")
        }
        kept.holdPresence(at: now)
        try start(id, StartRecord(name: Self.serverName, profile: configuration.profile, body: .server(kept)))
        network?.setListening(true)
    }

    private func requireRunning(_ id: NodeID) throws {
        guard isRunning(id) else {
            let name = name(of: id)
            throw WorldError("the app of '\(name)' is not running; '@\(name) app start' starts it")
        }
    }
}

/// The rules for names of nodes. The names are parts of interface names in session files and of script words.
public enum NodeName {
    /// The longest name, in UTF-8 bytes.
    public static let lengthMax = 32

    /// True if a node may have that name: ASCII letters and digits, `-` and `_`, and at most ``lengthMax`` bytes.
    public static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= lengthMax
            && name.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
                    || $0 == "_"
            }
    }

    /// Four hexadecimal digits that distinguish installations of the same name.
    static func suffix(of seed: UInt64) -> String {
        let text = String(UInt16(truncatingIfNeeded: seed), radix: 16)
        return String(repeating: "0", count: 4 - text.count) + text
    }
}

extension NodeInput {
    /// The interval by which the input moves the device's clock; zero if it does not.
    var clockJump: Interval { if case .app(.clockSet(let interval)) = self { interval } else { .zero } }
}
