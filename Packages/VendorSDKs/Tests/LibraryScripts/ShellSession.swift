import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO

/// A session that lines of the script language make without an app, for comparison with an app's session.
public enum ShellSession {
    /// The events of the session, each as text.
    ///
    /// - Parameters:
    ///   - epochNanoseconds: the wall clock at the start, to use that of an app's session; nil for the
    ///     seed's.
    ///   - parts: they run one after the other.
    /// - Throws: the line that failed, and the reason.
    public static func words(
        of parts: String..., profile: String, seed: UInt64, epochNanoseconds: Int64? = nil
    ) throws -> [String] {
        let script = try WorldScript(profile: profile, seed: seed, title: "the same")
        var configuration = script.configuration
        if let epochNanoseconds { configuration.epochNanoseconds = epochNanoseconds }
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: script.header, epochNanoseconds: configuration.epochNanoseconds)
        let world = try SimulatedWorld(configuration, recording: recording, summarize: { script.text(for: $0) })
        for event in world.core.events(from: 0) { script.take(event) }
        world.core.onEvent = { script.take($0) }
        for part in parts { try script.run(part, in: world) }
        try world.shutDown()
        return try words(of: sink.bytes)
    }

    /// The notes in a session.
    public static func marks(of session: [UInt8]) throws -> [String] {
        let scanner = try SessionReader(bytes: session).makeScanner()
        var marks: [String] = []
        while let view = try scanner.next() { if view.role == .mark { marks.append(view.comment) } }
        return marks
    }

    /// The events of a session's machines as text, without the name of alice's token: an app's token was a text.
    public static func words(of session: [UInt8]) throws -> [String] {
        let scanner = try SessionReader(bytes: session).makeScanner()
        var words: [String] = []
        while let view = try scanner.next() {
            guard view.role == .input || view.role == .effect else { continue }
            words.append(view.comment.replacing("given-1", with: "token-of-alice"))
        }
        return words
    }
}
