import IMSession
import IMShell
import IMSimulation
import NIMSDK
import Recorder
import SansIO
import SimulatedApp
import Testing

/// What happens to an app through the vendor's module is what happens to the same words at the shell.
@Suite struct SameStoryTests {
    @Test func framesCallbacksAndCodesAreTheShells() async throws {
        var reported: SimulationReport?
        try await withSimulation("nim", seed: 5, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            try phone.launch {
                NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
                NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
            }
            try simulation.script(Self.other)
            try phone.perform { NIMSDK.shared().loginManager.logout(nil) }
            await simulation.run(for: .seconds(5))
        }
        let app = try Self.words(of: #require(reported).session)

        let script = try WorldScript(profile: "nim", seed: 5, title: "the same")
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: script.header,
            epochNanoseconds: script.configuration.epochNanoseconds)
        let world = try SimulatedWorld(
            script.configuration, recording: recording, summarize: { script.words(for: $0) })
        for event in world.core.events(from: 0) { script.take(event) }
        world.core.onEvent = { script.take($0) }
        try script.run("client new phone --platform ios\n@phone login alice", in: world)
        try script.run(Self.other, in: world)
        try script.run("@phone logout\nwait 5s", in: world)
        try world.shutDown()
        let shell = try Self.words(of: sink.bytes)
        #expect(app.count > 60)
        #expect(app == shell)
    }

    private static let other = """
        wait 2s
        client new pad --platform ios
        @pad login alice
        wait 2s
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
