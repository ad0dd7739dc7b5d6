import Foundation
import IMClient
import IMLive
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// A live world whose server stores its accounts in a folder.
final class KeptHarness: @unchecked Sendable {
    // One test at a time uses it; the world manages its own thread.
    let world: LiveWorld
    let store: SQLiteServerStore
    private let profile: String
    private let sandbox: Sandbox
    private let key: [UInt8]
    private let clients: any ClientStore
    private let passwords: Bool

    convenience init(_ profile: String, passwords: Bool = false) throws {
        try self.init(
            profile, passwords, in: Sandbox(), key: JWTAuthority.makeKey(), clients: MemoryClientStore())
    }

    private init(
        _ profile: String, _ passwords: Bool, in sandbox: Sandbox, key: [UInt8], clients: any ClientStore
    ) throws {
        (self.profile, self.passwords, self.sandbox, self.key) = (profile, passwords, sandbox, key)
        self.clients = clients
        store = try SQLiteServerStore(path: sandbox.file("server.sqlite"))
        world = try Self.world(profile, store, key: key, clients: clients, passwords: passwords)
    }

    deinit { try? world.shutDown() }

    static func world(
        _ profile: String, _ store: SQLiteServerStore, key: [UInt8], clients: (any ClientStore)? = nil,
        passwords: Bool = false
    ) throws -> LiveWorld {
        let dialect = try #require(Dialects.named(profile))
        var policy = dialect.clientPolicy
        if passwords { policy.features.insert(.passwords) }
        return try LiveWorld(
            WorldConfiguration(
                profile: profile, clientPolicy: policy, serverPolicy: dialect.serverPolicy, seed: 1,
                epochNanoseconds: 1_767_225_600_000_000_000),
            server: .embedded, timeScale: 1, stopsBetweenCommands: true, trust: .none, key: key, recording: nil,
            store: clients ?? MemoryClientStore(), kept: store, summarize: { _ in "" })
    }

    /// The next process after a kill of this one. It starts with a copy of the files, as the kill left them.
    func killed() throws -> KeptHarness {
        let next = try Sandbox()
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.path) where name.hasPrefix("server") {
            try FileManager.default.copyItem(atPath: sandbox.file(name), toPath: next.file(name))
        }
        return try KeptHarness(profile, passwords, in: next, key: key, clients: clients)
    }

    func add(_ name: String, device: String? = nil) throws {
        let device = device ?? "\(name)-device"
        try world.perform { core in
            guard core.node(named: name) == nil else { return }
            try core.addClient(name, device: device, platform: name == "mac" ? .macos : .ios)
        }
    }

    func runCommand(_ name: String, _ command: ClientCommand) throws {
        try world.perform { core in
            guard let id = core.node(named: name) else { return }
            try core.command(command, client: id)
        }
    }

    func net(_ action: NetAction, _ name: String) throws {
        try world.perform { core in
            guard let id = core.node(named: name) else { return }
            core.net(action, client: id)
        }
    }

    func command(_ command: ServerCommand) throws { try world.perform { _ = try $0.command(command) } }

    /// Logs in manually, and returns the result.
    func logIn(
        _ name: String, as user: String, device: String? = nil,
        credential: (@Sendable (CredentialVault) throws -> String)? = nil
    ) throws -> Status? {
        try add(name, device: device)
        let reference = try world.perform { try credential?($0.vault) ?? $0.vault.reference(for: user) }
        try runCommand(name, .login(user: user, credential: reference, mode: .manual))
        return try status(name)
    }

    /// The result of the client's last command.
    func status(_ name: String) throws -> Status? {
        _ = try passes { $0.lastStatus(of: name) != nil }
        return try world.perform { $0.lastStatus(of: name) }
    }

    func passes(_ holds: @escaping @Sendable (WorldCore) -> Bool) throws -> Bool {
        try world.advance(by: .seconds(60), until: holds)
    }

    /// The server's list of a user's devices, as text.
    func devices(_ user: String) throws -> String { try world.perform { try Self.devices(user, $0) } }

    private static func devices(_ user: String, _ core: WorldCore) throws -> String {
        let start = core.eventsSeen
        try core.command(.listDevices(user: user))
        return core.events(from: start).flatMap(\.facts).map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }
}

extension WorldCore {
    func state(of client: String) -> ClientState? { node(named: client).flatMap { self[$0].client?.state } }

    /// True if the server has ended a connection.
    func serverHas(closed connection: ConnectionID) -> Bool {
        events(from: 0).contains { event in
            if case .effect(.closeLink(connection)) = event.content { return event.node == WorldCore.serverName }
            return false
        }
    }

    /// The messages that reached a client, oldest first.
    func messages(of client: String) -> [String] {
        events(from: 0).compactMap { event in
            guard event.node == client, case .input(.frame(_, let frame)) = event.content,
                case .message(let message) = frame.body
            else { return nil }
            return message.text
        }
    }
}
