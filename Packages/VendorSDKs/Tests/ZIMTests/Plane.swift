import SimulatedApp
import Testing
import ZIM

/// A device without a network on which a user who was logged in before is logged in offline (ZIM-1, ZIM-9).
@MainActor
enum Plane {
    /// The data that the server has of alice.
    static let data = """
        server account add alice
        server account add bob
        server account add carol
        server change alice user userID=bob userName=Bob userExtendedData=hi
        server change alice user userID=alice userName=Alice
        server change alice friend userID=bob friendAlias=Bobby attribute.team=blue
        server change alice friend-application userID=carol type=received wording=hello
        server change alice blacklist userID=dave isOn=true
        server change alice group groupID=tea groupName='Tea time' groupNotice=four attribute.room=7
        server change alice member groupID=tea userID=alice memberRole=owner
        server change alice member groupID=tea userID=bob memberNickname=B muteExpiredTime=-1
        server change alice group-application groupID=tea userID=carol type=join
        server change alice message messageID=m1 conversationID=bob senderUserID=bob message='the LIFT is broken' \
        timestamp=1767225000000
        server change alice message messageID=m2 conversationID=bob senderUserID=alice message='call the caretaker' \
        timestamp=1767225001000 wantsReceipts=true
        server change alice message messageID=m3 conversationID=bob senderUserID=bob type=image fileName=lift.png \
        fileSize=2048 timestamp=1767225002000
        server change alice message messageID=m4 conversationID=carol senderUserID=carol message='lift again' \
        timestamp=1767225003000
        server change alice read messageID=m2 userID=bob
        server change alice reaction messageID=m1 reactionType=thumbs userID=bob isOn=true
        server change alice message messageID=g1 conversationID=tea conversationType=group senderUserID=alice \
        message=hi timestamp=1767225004000 wantsReceipts=true
        server change alice read messageID=g1 userID=bob
        server change alice message messageID=k1 conversationID=bob senderUserID=bob type=combine message=two \
        part1.message=one part1.messageID=p1 part1.senderUserID=bob part1.conversationID=bob timestamp=1767224000000
        server change alice downloaded messageID=m3 timestamp=1767225005000
        server change alice conversation conversationID=carol conversationName=Carol isPinned=true
        server change alice call callID=c1 caller=bob inviter=bob userID=alice createTime=1767225000000
        """

    /// An app that was logged in, was killed, and is logged in offline.
    static func launch(in simulation: Simulation) async throws -> (device: SimulatedDevice, app: Phone) {
        try simulation.script(data)
        let device = simulation.device("phone")
        let first = try device.launch { Phone() }
        let token = simulation.token(for: "alice")
        #expect(try await device.run { await first.login("alice", token: token) } == .success)
        await simulation.run(for: .seconds(2))
        #expect(first.heard.last == "unread 4")
        try device.kill()
        try device.networkDown()
        let app = try device.launch { Phone() }
        #expect(try await device.run { await app.login("alice", token: token, isOffline: true) } == .success)
        await simulation.run(for: .seconds(1))
        #expect(app.heard.last == "unread 4")
        app.forget()
        return (device, app)
    }
}
