import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import TestSupport
import Testing

@testable import IMLive

/// A world with two devices of one user and one of another, a failing network and killed apps. The database on disk
/// must give the same answers as the one in memory. At the end, both devices must have the same data as a new device.
@Suite struct TwoDevicesTests {
    /// The number of compared calls. `IMREPL_MODEL_CALLS` sets another number.
    private static let callCount = Int(ProcessInfo.processInfo.environment["IMREPL_MODEL_CALLS"] ?? "") ?? 1500
    /// The first seed. `IMREPL_MODEL_SEED` sets another one.
    private static let firstSeed = UInt64(ProcessInfo.processInfo.environment["IMREPL_MODEL_SEED"] ?? "") ?? 1

    @Test(
        "ZIM-9: two devices with losses, kills and offline periods: every answer equals that of the database in memory")
    func sameAnswers() throws {
        var calls = 0
        var seed = Self.firstSeed
        while calls < Self.callCount {
            let folder = NSTemporaryDirectory() + "imrepl-devices-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let memory = try Devices(seed: seed, MemoryClientStore())
            let disk = try Devices(seed: seed, SQLiteClientStore(path: folder + "/clients.sqlite"))
            for _ in 0..<300 {
                let (expected, answers) = (try memory.step(), try disk.step())
                try #require(answers == expected, "seed \(seed): \(memory.last)")
                calls += expected.count
            }
            try memory.restoreAndDeliver()
            try disk.restoreAndDeliver()
            let (expected, answers) = (try memory.view(of: "phone"), try disk.view(of: "phone"))
            #expect(answers == expected, "seed \(seed)")
            #expect(expected.contains { !$0.rows.isEmpty })
            #expect(try memory.view(of: "new") == expected, "seed \(seed)")
            #expect(try memory.people(of: "pad") == memory.people(of: "phone"), "seed \(seed)")
            seed += 1
        }
    }
}

/// A world with random events, which are equal for equal seeds.
private final class Devices {
    private let world: SimulatedWorld
    private var model: UserDataModel
    /// The last action, for error messages.
    private(set) var last = ""
    private var clients: [String: NodeID] = [:]
    private static let owners = ["phone": "alice", "pad": "alice", "peer": "bob", "new": "alice"]

    init(seed: UInt64, _ store: any ClientStore) throws {
        var configuration = WorldConfiguration(try #require(Dialects.named("zim")), seed: seed)
        configuration.serverPolicy?.exclusion = .unlimited
        world = try SimulatedWorld(configuration, store: store)
        model = UserDataModel(seed: seed)
        for user in UserDataModel.users { try world.core.command(.addAccount(user)) }
        for name in ["phone", "pad", "peer"] { try begin(name) }
    }

    private func begin(_ name: String) throws {
        let id = try world.core.addClient(name, platform: .ios)
        clients[name] = id
        try logIn(name, .manual)
        pass(5)
    }

    private func logIn(_ name: String, _ mode: LoginMode) throws {
        let user = Self.owners[name] ?? ""
        try command(.login(user: user, credential: world.core.vault.reference(for: user), mode: mode), name)
    }

    private func client(_ name: String) throws -> NodeID { try #require(clients[name]) }

    private func command(_ command: ClientCommand, _ name: String) throws {
        last = "\(name) \(command)"
        try world.core.command(command, client: client(name))
    }

    private func pass(_ seconds: Int64) {
        _ = world.run(until: world.core.now + .seconds(seconds)) { _ in false }
    }

    /// Runs one random event.
    ///
    /// - Returns: the answers of the calls in it.
    func step() throws -> [LocalAnswer] {
        let name = ["phone", "pad", "peer"][model.below(3)]
        let begin = world.core.eventsSeen
        switch model.below(20) {
        case 0: world.core.net(.down, client: try client(name))
        case 1, 2: world.core.net(.up, client: try client(name))
        case 3: world.core.net(.reset, client: try client(name))
        case 4: world.core.net(.loss(UInt64(model.below(3)) * 100_000), client: try client(name))
        case 5:
            try world.core.app(.kill, client: client(name))
            try world.core.app(.start, client: client(name))
            try logIn(name, .offline)
        case 6: pass(Int64(model.below(40)))
        case 7...11: try command(.change(model.change().record()), name)
        case 12: try command(.send(to: model.below(2) == 0 ? "bob" : "alice", text: "m\(model.below(9))"), name)
        // The phone makes only queries, so that its data can be compared with the data of a later device.
        default:
            let request = model.request()
            if name != "phone" || !request.call.declaration.changes { try command(.call(request), name) }
        }
        if model.below(3) == 0 { pass(1) }
        return answers(from: begin)
    }

    private func answers(from begin: Int) -> [LocalAnswer] {
        world.core.events(from: begin).compactMap { event in
            guard case .input(.data(let answer)) = event.content, case .answered(_, let answer) = answer.outcome else {
                return nil
            }
            model.note(answer)
            return answer
        }
    }

    /// Restores the networks, waits until all devices have received all changes, and logs in a new device.
    func restoreAndDeliver() throws {
        for name in ["phone", "pad", "peer"] {
            world.core.net(.clear, client: try client(name))
            world.core.net(.up, client: try client(name))
        }
        pass(300)
        try begin("new")
        pass(30)
    }

    /// All data that a device has from the server. The device's own data is omitted: database numbers, drafts, unread
    /// messages.
    func view(of name: String) throws -> [LocalAnswer] {
        var answers = try people(of: name)
        for other in UserDataModel.users + UserDataModel.groups {
            for kind in ["peer", "group"] {
                let arguments = [("conversationID", other), ("conversationType", kind), ("count", "100")]
                answers.append(try perform(LocalRequest(.queryHistoryMessage, arguments), name))
            }
        }
        return answers
    }

    func people(of name: String) throws -> [LocalAnswer] {
        let page = [("count", "100")]
        var requests = [
            LocalRequest(.queryFriendList, page), LocalRequest(.queryBlacklist, page), LocalRequest(.queryGroupList),
            LocalRequest(.queryFriendApplicationList, page), LocalRequest(.queryGroupApplicationList, page),
            LocalRequest(.queryUsersInfo, [("userIDs", UserDataModel.users.joined(separator: ","))]),
        ]
        for group in UserDataModel.groups {
            requests.append(LocalRequest(.queryGroupMemberList, [("groupID", group)] + page))
        }
        return try requests.map { try perform($0, name) }
    }

    private func perform(_ request: LocalRequest, _ name: String) throws -> LocalAnswer {
        let begin = world.core.eventsSeen
        try command(.call(request), name)
        var answer = try #require(answers(from: begin).last, "\(request)")
        // The order in which messages arrived differs on each device.
        answer.rows = answer.rows.map { row in AnswerRow(fields: row.fields.filter { $0.name != "localMessageID" }) }
            .sorted { "\($0)" < "\($1)" }
        return answer
    }
}
