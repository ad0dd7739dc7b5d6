import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO
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
        let app = try Self.words(of: #require(reported).session)

        let script = try WorldScript(profile: "zim", seed: 5, title: "the same")
        let sink = MemorySink()
        // Messages say when they were sent.
        var configuration = script.configuration
        configuration.epochNanoseconds = epoch
        let recording = Recording(sink: sink, path: nil, header: script.header, epochNanoseconds: epoch)
        let world = try SimulatedWorld(
            configuration, recording: recording, summarize: { script.words(for: $0) })
        for event in world.core.events(from: 0) { script.take(event) }
        world.core.onEvent = { script.take($0) }
        try script.run("client new phone --platform ios\n@phone login alice", in: world)
        try script.run(Self.others, in: world)
        try script.run("@phone send bob hello\nwait 1s", in: world)
        try script.run(
            """
            @phone call queryConversationListWithConfig count=5
            @phone call clearConversationUnreadMessageCount conversationID=bob
            """, in: world)
        try script.run(Self.kick, in: world)
        try script.run("@phone logout\nwait 5s", in: world)
        try world.shutDown()
        let shell = try Self.words(of: sink.bytes)
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

    /// Each event in words, without the name that a token has: the app's came as a text.
    private static func words(of bytes: [UInt8]) throws -> [String] {
        let reader = try SessionReader(bytes: bytes)
        let scanner = reader.makeScanner()
        var words: [String] = []
        while let view = try scanner.next() {
            guard view.role == .input || view.role == .effect else { continue }
            words.append(view.comment.replacing("given-1", with: "token-of-alice"))
        }
        return words
    }
}
