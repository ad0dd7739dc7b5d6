import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMSimulation

/// Tests of every call in the vendor's list: before a login, online, without a network and after a logout, with valid
/// arguments and with each kind of invalid argument (ZIM-9).
@Suite struct LocalCallTests {
    private struct World {
        let world: SimulatedWorld
        let phone: NodeID

        init() throws {
            let dialect = try #require(Dialects.named("zim"))
            world = try SimulatedWorld(WorldConfiguration(dialect, seed: 3))
            phone = try world.core.addClient("phone", platform: .ios)
        }

        func command(_ command: ClientCommand) throws -> Completion? {
            let begin = world.core.eventsSeen
            let number = try world.core.command(command, client: phone)
            for event in world.core.events(from: begin) {
                if case .effect(.complete(number, let completion)) = event.content { return completion }
            }
            return nil
        }

        func call(_ call: LocalCall, _ arguments: [(String, String)]) throws -> Status? {
            try command(.call(LocalRequest(call, arguments)))?.status
        }

        func run(_ seconds: Int) { _ = world.run(until: world.core.now + .seconds(Int64(seconds))) { _ in false } }

        func logIn() throws {
            let credential = world.core.vault.reference(for: "alice")
            _ = try command(.login(user: "alice", credential: credential, mode: .manual))
            run(2)
            #expect(world.core[phone].client?.state == .online)
        }

        /// Creates data that each call can find.
        func fill() throws {
            try world.core.command(ServerCommand.addAccount("alice"))
            let tea = ConversationID(kind: .group, id: "tea")
            let bob = ConversationID(kind: .peer, id: "bob")
            var parts = LocalMessage(id: "k1", conversation: bob, sender: "bob", kind: .combine, text: "", timestamp: 3)
            parts.parts = [LocalMessage(id: "p", conversation: bob, sender: "bob", text: "part", timestamp: 1)]
            let changes: [LocalChange] = [
                .user(LocalUser(id: "bob", name: "Bob")), .friend(LocalFriend(user: "bob")),
                .group(LocalGroup(id: "tea", name: "Tea")), .member(group: "tea", GroupMember(user: "bob")),
                .message(LocalMessage(id: "m1", conversation: bob, sender: "bob", text: "lift", timestamp: 1)),
                .message(LocalMessage(id: "g1", conversation: tea, sender: "bob", text: "lift", timestamp: 2)),
                .message(parts), .call(CallInvitation(id: "c1", caller: "bob", inviter: "bob", createTime: 4)),
            ]
            for change in changes { try world.core.command(.putChange(user: "alice", change.record())) }
        }
    }

    private func good(_ call: LocalCall) -> [(String, String)] {
        let isGroupCall =
            call == .queryGroupMessageReceiptReadMemberList
            || call == .queryGroupMessageReceiptUnreadMemberList
        return call.declaration.parameters.filter { $0.defaultValue == nil }.map { parameter in
            let value =
                switch parameter.name {
                case "groupID": "tea"
                case "message" where call == .queryCombineMessageDetail: "k1"
                case "message" where isGroupCall: "g1"
                case "message", "messageList": "m1"
                case "endTime": "5"
                case "reactionType": "heart"
                default: "bob"
                }
            return (parameter.name, value)
        }
    }

    /// Invalid values of a parameter.
    private func bad(_ parameter: LocalParameter) -> [String] {
        switch parameter.kind {
        case .identifier, .message, .folder: [""]
        case .identifiers(let max), .messages(let max):
            (parameter.defaultValue == "" ? [] : [""]) + ["a,,b", (0...max).map { "u\($0)" }.joined(separator: ",")]
        case .keywords: parameter.defaultValue == "" ? ["a,,b"] : ["", "a,,b"]
        case .text(let max): [String(repeating: "x", count: max + 1)]
        case .count(let max): ["0", "-1", "\(max + 1)", "many", ""]
        case .nextFlag: ["-1", "4294967296", "x"]
        case .position: ["x", "1.x", "1.2.3.4.5"]
        case .time: ["-1", "noon", "9223372036854775808"]
        case .flag: ["perhaps", ""]
        case .choice: ["other", "99", ""]
        case .choices: ["other", "peer,,group"]
        }
    }

    @Test(arguments: LocalCall.allCases)
    func `every call with every argument, in every state`(call: LocalCall) throws {
        let world = try World()
        try world.fill()
        let expected: Status = call == .importLocalMessages ? .invalidArgument : .ok
        // No user is logged in.
        #expect(try world.call(call, good(call)) == .notLoggedIn)
        try world.logIn()
        for isOnline in [true, false] {
            if !isOnline {
                world.world.core.net(.down, client: world.phone)
                world.run(1)
            }
            let begin = world.world.core.eventsSeen
            for parameter in call.declaration.parameters {
                let others = good(call).filter { $0.0 != parameter.name }
                for value in bad(parameter) {
                    #expect(
                        try world.call(call, others + [(parameter.name, value)]) == .invalidArgument,
                        "\(parameter.name)=\(value)")
                }
                if parameter.defaultValue == nil { #expect(try world.call(call, others) == .invalidArgument) }
                if parameter.queriesServer, !isOnline {
                    #expect(try world.call(call, good(call) + [(parameter.name, "true")]) == .networkUnavailable)
                }
            }
            #expect(try world.call(call, good(call) + [("bogus", "1")]) == .invalidArgument)
            // The valid call comes last, because it may delete its target.
            #expect(try world.call(call, good(call)) == expected, "\(call.name) \(isOnline)")
            // A refused call sends no request to the store and no frame.
            var requestCount = 0
            for event in world.world.core.events(from: begin) {
                switch event.content {
                case .effect(.data): requestCount += 1
                case .effect(.send(_, let frame)):
                    #expect(!call.declaration.changes || frame.body.name == "change", "\(frame)")
                    #expect(isOnline)
                default: break
                }
            }
            #expect(requestCount == 1)
            // The first valid call may have deleted its target, so it is created again.
            try world.fill()
        }
        _ = try world.command(.logout(keepsPush: false))
        #expect(try world.call(call, good(call)) == .notLoggedIn)
    }

    @Test func `calls of other systems are unsupported`() throws {
        for profile in ["agora-rtm", "wilddog"] {
            let world = try SimulatedWorld(WorldConfiguration(try #require(Dialects.named(profile))))
            let phone = try world.core.addClient("phone", platform: .ios)
            let begin = world.core.eventsSeen
            let number = try world.core.command(.call(LocalRequest(.querySelfUserInfo)), client: phone)
            let statuses = world.core.events(from: begin).compactMap { event -> Status? in
                if case .effect(.complete(number, let completion)) = event.content { completion.status } else { nil }
            }
            #expect(statuses == [.unsupported])
        }
    }
}
