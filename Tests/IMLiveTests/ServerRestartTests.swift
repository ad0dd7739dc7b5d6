import Foundation
import IMClient
import IMLive
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// A server whose process is killed, and its next process on the same data.
@Suite struct ServerRestartTests {
    @Test("design 4: a ban, the devices and the number of the last login survive a restart")
    func accounts() async throws {
        try await onThread {
            let first = try KeptHarness("nim")
            #expect(try first.logIn("phone", as: "alice") == .ok)
            try first.command(.addAccount("mallory"))
            try first.command(.banAccount("mallory"))
            try first.command(.addAccount("carol"))
            try first.command(.deleteAccount("carol"))
            let next = try first.killed()
            let server = try next.world.perform { core in core.serverID.flatMap { core[$0].machine?.server } }
            #expect(server?.users == ["alice", "mallory"])
            #expect(try next.devices("alice").contains("presence=away epoch=1"))
            #expect(try next.logIn("pad", as: "mallory") == .banned)
            #expect(try next.logIn("pad", as: "alice") == .ok)
            #expect(try next.devices("alice").contains("epoch=2"))
            // The epochs are stored, so they continue after the restart. The connections are numbered from 1 again.
            #expect(try next.devices("alice").contains("connection=2"))
        }
    }

    @Test("C-7: after a restart, a kick that the device has not received is delivered before anything else")
    func kicks() async throws {
        try await onThread {
            let first = try KeptHarness("nim")
            #expect(try first.logIn("phone", as: "alice") == .ok)
            try first.net(.down, "phone")
            try first.command(.kick(user: "alice", device: nil))
            #expect(try first.devices("alice").contains("undelivered-kick=server"))
            let next = try first.killed()
            #expect(try next.devices("alice").contains("undelivered-kick=server"))
            try next.add("phone", device: "phone-device")
            try next.world.perform { core in
                guard let phone = core.node(named: "phone") else { return }
                try core.command(.login(user: "alice", credential: "", mode: .automatic), client: phone)
            }
            #expect(try next.passes { $0.state(of: "phone") == .kicked })
            // The client has confirmed it.
            #expect(try next.passes { $0.serverHas(closed: ConnectionID(1)) })
            #expect(try next.devices("alice").contains("undelivered-kick=-"))
        }
    }

    @Test("C-7 CHAT-10: after a restart, a removal is reported, also to a device whose account was created again")
    func removals() async throws {
        for makesAnew in [false, true] {
            try await onThread {
                let first = try KeptHarness("agora-chat")
                #expect(try first.logIn("phone", as: "alice") == .ok)
                try first.net(.down, "phone")
                try first.command(.deleteAccount("alice"))
                if makesAnew { try first.command(.addAccount("alice")) }
                let next = try first.killed()
                try next.add("phone", device: "phone-device")
                try next.world.perform { core in
                    guard let phone = core.node(named: "phone") else { return }
                    try core.command(.login(user: "alice", credential: "", mode: .automatic), client: phone)
                }
                #expect(try next.passes { !Self.kicks(in: $0).isEmpty })
                let reason = try next.world.perform { core in Self.kicks(in: core) }
                #expect(reason == [.accountRemoved])
            }
        }
    }

    private static func kicks(in core: WorldCore) -> [KickReason] {
        core.events(from: 0).compactMap { event in
            guard case .effect(.notify(.kicked(let notice))) = event.content else { return nil }
            return notice.reason
        }
    }

    @Test("CHAT-8: after a restart, unconfirmed messages are delivered, once")
    func messages() async throws {
        try await onThread {
            let first = try KeptHarness("nim")
            #expect(try first.logIn("pad", as: "bob") == .ok)
            try first.runCommand("pad", .logout(keepsPush: false))
            #expect(try first.passes { $0.state(of: "pad") == .loggedOut })
            #expect(try first.logIn("phone", as: "alice") == .ok)
            for text in ["one", "two"] {
                try first.runCommand("phone", .send(to: "bob", text: text))
                let status = try first.status("phone")
                #expect(status == .stored)
            }
            let next = try first.killed()
            #expect(try next.logIn("pad", as: "bob", device: "pad-device") == .ok)
            _ = try next.passes { $0.messages(of: "pad") == ["one", "two"] }
            let delivered = try next.world.perform { $0.messages(of: "pad") }
            #expect(delivered == ["one", "two"])
            let last = try next.killed()
            #expect(try last.logIn("pad", as: "bob", device: "pad-device") == .ok)
            #expect(try last.world.perform { $0.messages(of: "pad") }.isEmpty)
        }
    }

    @Test("design 2: a token and a password of the previous process are valid in the next one")
    func credentials() async throws {
        try await onThread {
            let first = try KeptHarness("nim", passwords: true)
            let token = try first.world.perform { core in
                try core.vault.setPassword("s3cret", of: "alice")
                return try core.vault.mint(user: "alice", lifetime: nil, wallMilliseconds: core.wallMilliseconds)
            }
            let next = try first.killed()
            #expect(try next.logIn("phone", as: "alice", credential: { $0.keep(token) }) == .ok)
            #expect(
                try next.logIn("pad", as: "alice", credential: { try $0.keep(password: "wrong") }) == .wrongCredential)
            #expect(try next.logIn("mac", as: "alice", credential: { try $0.keep(password: "s3cret") }) == .ok)
            try next.command(.deleteAccount("alice"))
            let last = try next.killed()
            #expect(
                try last.logIn("pad", as: "alice", credential: { try $0.keep(password: "s3cret") }) == .wrongCredential)
        }
    }

    @Test("design 2: if storing fails nobody is notified, and the server rejects logins until storing works")
    func fullDisk() async throws {
        try await onThread {
            let harness = try KeptHarness("nim")
            let failures = Failures()
            try harness.world.perform { $0.onDiskFull = { failures.texts.append($0) } }
            harness.store.close()
            #expect(try harness.logIn("phone", as: "alice") == .connectionFailed)
            #expect(try harness.world.perform { _ in failures.texts.count } == 1)
            #expect(
                try harness.world.perform { _ in failures.texts.first?.hasPrefix("the store") }
                    == true)
            let isAcknowledged = try harness.world.perform { core in
                core.events(from: 0).contains { event in
                    if case .input(.frame(_, let frame)) = event.content, case .loginAck = frame.body { return true }
                    return false
                }
            }
            #expect(!isAcknowledged)
        }
    }

    private final class Failures: @unchecked Sendable {
        /// Used on the world's loop only.
        var texts: [String] = []
    }

    @Test("design 2: an unreadable account is reported by name, and the server does not start")
    func unreadable() async throws {
        try await onThread {
            let sandbox = try Sandbox()
            let store = try SQLiteServerStore(path: sandbox.file("server.sqlite"))
            try store.save([.init(user: "alice", json: Array("{}".utf8))], tree: nil, profile: "nim")
            #expect(throws: WorldError.self) { try KeptHarness.world("nim", store, key: JWTAuthority.makeKey()) }
            // The accounts of another application are separate.
            let again = try SQLiteServerStore(path: sandbox.file("server.sqlite"))
            #expect(try again.accounts(profile: "zim").isEmpty)
        }
    }
}

/// The data that a server machine gives its host to store, without a host.
@Suite struct KeptStateTests {
    private func server() throws -> ServerMachine {
        ServerMachine(policy: try #require(Dialects.named("nim")).serverPolicy, epochMilliseconds: 0)
    }

    /// Sends frames over a connection of a device that logs in first.
    private func feed(
        _ machine: inout ServerMachine, _ connection: UInt32, _ user: String, _ device: String, _ bodies: FrameBody...
    ) -> [ServerEffect] {
        let id = ConnectionID(connection)
        let login = LoginRequest(
            application: "nim", user: user, device: Device(id: device, platform: .ios), mode: .manual, epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: user)))
        var effects: [ServerEffect] = []
        machine.handle(.connectionOpened(id), at: .zero, into: &effects)
        for body in [.login(login)] + bodies {
            effects = []
            machine.handle(.frameReceived(id, Frame(request: 1, body)), at: .zero, into: &effects)
        }
        return effects
    }

    private func next(_ machine: ServerMachine) throws -> ServerMachine {
        var next = try server()
        next.restore(
            try machine.users.map { user in
                let json = try CanonicalJSON.encode(#require(machine.keptAccount(of: user)))
                return (user, try CanonicalJSON.decode(KeptAccount.self, from: json))
            })
        let tree = try CanonicalJSON.encode(machine.keptTree)
        next.restore(try CanonicalJSON.decode(KeptTree.self, from: tree))
        return next
    }

    @Test("CHAT-8: operations that a device has not confirmed survive a restart")
    func operations() throws {
        var machine = try server()
        _ = machine.handle(.command(CommandID(1), .setPolicy(key: "exclusion", value: "none")), at: .zero)
        _ = feed(&machine, 1, "alice", "pad")
        _ = machine.handle(.connectionClosed(ConnectionID(1)), at: .zero)
        let operation = DeviceOperation(id: "o1", kind: .contactBan, target: "mallory")
        _ = feed(&machine, 2, "alice", "phone", .operation(operation))
        var next = try next(machine)
        let effects = feed(&next, 1, "alice", "pad")
        let delivered = effects.contains { effect in
            if case .send(_, let frame) = effect, case .operated(let delivered) = frame.body {
                return delivered.id == "o1"
            }
            return false
        }
        #expect(delivered)
    }

    @Test("design 2: instants end with the process: no refusal lasts for the previous process's running time")
    func instants() throws {
        var machine = try server()
        let late = Instant.zero + .seconds(1_000_000)
        var login = LoginRequest(
            application: "nim", user: "alice", device: Device(id: "phone", platform: .ios), mode: .manual, epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: "alice")))
        _ = machine.handle(.connectionOpened(ConnectionID(1)), at: late)
        // NIM's limit is ten a minute (NIM-8).
        for _ in 0..<12 {
            _ = machine.handle(.frameReceived(ConnectionID(1), Frame(request: 1, .login(login))), at: late)
            _ = machine.handle(.connectionClosed(ConnectionID(1)), at: late)
            _ = machine.handle(.connectionOpened(ConnectionID(1)), at: late)
        }
        login.mode = .automatic
        var next = try next(machine)
        _ = next.handle(.connectionOpened(ConnectionID(1)), at: .zero)
        let effects = next.handle(.frameReceived(ConnectionID(1), Frame(request: 1, .login(login))), at: .zero)
        let isIn = effects.contains { effect in
            if case .send(_, let frame) = effect, case .loginAck(let reply) = frame.body { return reply.status == .ok }
            return false
        }
        #expect(isIn, "\(effects)")
    }

    @Test("SYNC-6: the end of the process ends every connection and runs its onDisconnect operations")
    func tree() throws {
        var machine = try server()
        let before = machine.treeSnapshot
        _ = feed(
            &machine, 1, "alice", "phone", .tree(.set(path: "state", .text("online"))),
            .tree(.onDisconnect(path: "state", .text("offline"))), .tree(.listen(path: "state", number: 1)))
        #expect(machine.treeSnapshot != before)
        var next = try next(machine)
        #expect(next.treeSnapshot != before)
        let read = feed(&next, 1, "bob", "pad", .tree(.get(path: "state")))
        let isDone = read.contains { effect in
            if case .send(_, let frame) = effect { return frame.body == .treeAck(.ok, .text("offline")) }
            return false
        }
        #expect(isDone, "\(read)")
    }

    @Test("design 2: the host gets the accounts to write, and a heartbeat changes none")
    func changedAccounts() throws {
        var machine = try server()
        _ = feed(&machine, 1, "bob", "pad")
        #expect(machine.touchedUsers == ["bob"])
        _ = feed(&machine, 2, "alice", "phone")
        let phone = ConnectionID(2)
        _ = machine.handle(.frameReceived(phone, Frame(request: 1, .heartbeat)), at: .zero)
        #expect(machine.touchedUsers.isEmpty)
        let message = ChatMessage(id: "m1", to: "bob", text: "hello")
        _ = machine.handle(.frameReceived(phone, Frame(request: 1, .send(message))), at: .zero)
        #expect(Set(machine.touchedUsers) == ["alice", "bob"])
        _ = machine.handle(.command(CommandID(1), .deleteAccount("bob")), at: .zero)
        #expect(machine.touchedUsers.contains("bob"))
        #expect(machine.keptAccount(of: "bob") == nil)
    }

    @Test("design 2: the notes for the host are not part of the state")
    func hostNotes() throws {
        var one = try server()
        var other = try server()
        for machine in [0, 1] {
            let add = ServerInput.command(CommandID(1), .addAccount("alice"))
            _ = machine == 0 ? one.handle(add, at: .zero) : other.handle(add, at: .zero)
        }
        _ = one.handle(.deadlineReached, at: .zero)
        #expect(one.touchedUsers != other.touchedUsers)
        #expect(one == other)
        #expect(try CanonicalJSON.encode(one) == CanonicalJSON.encode(other))
    }
}
