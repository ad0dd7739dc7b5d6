import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO

/// A session that lines of the script language make by themselves, to compare an app's with.
public enum ShellSession {
    /// What happens in it, each event in words.
    ///
    /// - Parameters:
    ///   - epochNanoseconds: the wall clock at the beginning, where it is to be that of an app's session; nil for the
    ///     seed's.
    ///   - parts: are run one after the other.
    /// - Throws: the line that failed, and why.
    public static func words(
        of parts: String..., profile: String, seed: UInt64, epochNanoseconds: Int64? = nil
    ) throws -> [String] {
        let script = try WorldScript(profile: profile, seed: seed, title: "the same")
        var configuration = script.configuration
        if let epochNanoseconds { configuration.epochNanoseconds = epochNanoseconds }
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: script.header, epochNanoseconds: configuration.epochNanoseconds)
        let world = try SimulatedWorld(configuration, recording: recording, summarize: { script.words(for: $0) })
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

    /// Each event of a session's machines in words, without the name that alice's token has: an app's came as a text.
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
