import AgoraChat
import IMSimulation
import LibraryStories
import SimulatedApp
import Testing

/// What happens to an app through the module is what happens to the same words at the shell.
@MainActor
@Suite struct SameStoryTests {
    @Test func framesCallbacksAndCodesAreTheShells() async throws {
        var reported: SimulationReport?
        let started = Epoch()
        try await withSimulation("agora-chat", seed: 5, report: { reported = $0 }) { simulation in
            // Messages are stamped by the server's clock.
            started.nanoseconds = Int64(clamping: simulation.time.wallStart)
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            try phone.launch {
                let client = AgoraChatClient.shared()
                client.initializeSDK(with: AgoraChatOptions(appkey: "org#app"))
                client.login(withUsername: "alice", token: token, completion: nil)
            }
            try simulation.script(Self.others)
            try phone.perform {
                let client = AgoraChatClient.shared()
                client.chatManager?.send(
                    AgoraChatMessage(
                        conversationID: "bob", body: AgoraChatTextMessageBody(text: "hello"), ext: nil), progress: nil)
                client.chatManager?.pinConversation("bob", isPinned: true)
                client.roomManager?.joinChatroom("lobby", completion: nil)
            }
            try simulation.script("wait 2s\n@phone net down\nwait 10s\n@phone net up\nwait 10s")
            try phone.perform { AgoraChatClient.shared().logout(true, completion: nil) }
            try simulation.script("wait 5s")
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: "client new phone --platform ios\n@phone login alice",
            Self.others,
            """
            @phone send bob hello
            @phone act conversation-pinned bob
            @phone join lobby
            wait 2s
            @phone net down
            wait 10s
            @phone net up
            wait 10s
            @phone logout
            wait 5s
            """,
            profile: "agora-chat", seed: 5, epochNanoseconds: started.nanoseconds)
        #expect(app.count > 60)
        #expect(app == shell)
    }

    private final class Epoch: @unchecked Sendable {
        var nanoseconds: Int64 = 0
    }

    private static let others = """
        wait 2s
        client new pad --platform ios
        client new tab --platform ios
        @pad login alice
        @tab login bob
        wait 2s
        @pad act conversation-pinned bob
        wait 1s
        """
}
