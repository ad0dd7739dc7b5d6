import IMSimulation
import LibraryStories
import SimulatedApp
import Testing
import ZIM

/// What happens to an app through the module is what happens to the same words at the shell: the module asks for
/// nothing that the app did not.
@MainActor
@Suite struct SameStoryTests {
    @Test func framesCallbacksAndCodesAreTheShells() async throws {
        var reported: SimulationReport?
        let epoch = try await withSimulation("zim", seed: 5, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let app = try phone.launch { Phone() }
            try phone.perform {
                let config = ZIMLoginConfig()
                config.token = token
                app.zim.login(withUserID: "alice", config: config) { _ in }
            }
            try simulation.script(Self.others)
            try phone.perform {
                app.zim.sendMessage(
                    ZIMTextMessage(message: "hello"), toConversationID: "bob", conversationType: .peer,
                    config: ZIMMessageSendConfig(), notification: nil
                ) { _, _ in }
            }
            try simulation.script("wait 1s")
            try phone.perform {
                let config = ZIMConversationQueryConfig()
                config.count = 5
                app.zim.queryConversationList(with: config) { _, _ in }
                app.zim.clearConversationUnreadMessageCount(for: "bob", conversationType: .peer) { _, _, _ in }
            }
            try simulation.script(Self.kick)
            try phone.perform { app.zim.logout() }
            await simulation.run(for: .seconds(5))
            return simulation.world.core.configuration.epochNanoseconds
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: "client new phone --platform ios\n@phone login alice",
            Self.others,
            "@phone send bob hello\nwait 1s",
            """
            @phone call queryConversationListWithConfig count=5
            @phone call clearConversationUnreadMessageCount conversationID=bob
            """,
            Self.kick,
            "@phone logout\nwait 5s",
            profile: "zim", seed: 5, epochNanoseconds: epoch)
        #expect(app.count > 100)
        #expect(app == shell)
    }

    private static let others = """
        wait 2s
        client new pad --platform android
        @pad login bob
        wait 2s
        @pad send alice 'are you there?'
        wait 2s
        """

    private static let kick = """
        @phone net down
        wait 5s
        @phone net up
        wait 20s
        server kick alice
        wait 2s
        """
}
