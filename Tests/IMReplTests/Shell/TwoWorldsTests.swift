import Foundation
import IMProfiles
import Recorder
import Synchronization
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession
@testable import IMShell
@testable import IMSimulation

/// Runs a script over real sockets and in virtual time. Each client must have the same events in the same order.
@Suite struct TwoWorldsTests {
    /// Scripts that are short enough to run over real sockets in every run of the tests. `imrepl run FILE --world live`
    /// can run the others.
    static let scripts = SessionLibrary.scripts.filter { name in
        ["s-01", "s-02", "s-03", "s-04", "s-05", "s-06", "s-08", "s-09", "s-11", "c-07", "readme"]
            .contains { name.hasPrefix($0) }
    }

    @Test(arguments: scripts) func everyScriptDoesTheSameInBothWorlds(_ name: String) async throws {
        let script = try SessionLibrary.read(name)
        guard script.metadata.world == nil else {
            // The head of the script contains the reason why it can only be simulated.
            #expect(script.metadata.because != nil)
            return
        }
        // A live world blocks its calling thread, which must not be a thread that tasks share.
        let (simulated, live) = try await onOwnThread {
            (try play(script, in: .simulated), try play(script, in: .live))
        }
        #expect(simulated.keys.sorted() == live.keys.sorted())
        for (client, scenario) in simulated {
            let other = live[client] ?? []
            #expect(scenario.count > 5)
            #expect(scenario == other, "the scenarios of \(client) differ: \(firstDifference(scenario, other))")
        }
    }

    @Test func theLibraryExists() {
        #expect(Self.scripts.count >= 10)
    }

    /// The events of each client without their times: states, callbacks, results, connections and frames. Heartbeats
    /// are omitted, because their number depends on the speed of real sockets.
    private func play(_ script: CheckedScript, in kind: WorldKind) throws -> [String: [String]] {
        var settings = WorldSettings.forTests
        settings.kind = kind
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: kind, isScripted: true, title: script.name)
        let sink = MemorySink()
        let shell = try Shell(
            plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false, host: ProgramHost())
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        try shell.close()
        return try scenarios(in: sink.bytes, dialect: plan.dialect)
    }

    private func scenarios(in bytes: [UInt8], dialect: any Dialect) throws -> [String: [String]] {
        let reader = try SessionReader(bytes: bytes)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
        let formatter = EventFormatter(dialect: dialect)
        var scenarios: [String: [String]] = [:]
        var sent: [UInt64: SessionEvent] = [:]
        let schema = IMSessionSchema()
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            sent[event.number] = event
            if let problem = wrongCause(of: event, sent[event.cause]) {
                Issue.record("#\(event.number) of \(event.node): \(problem)")
            }
            let formatted = formatter.format(event)
            guard event.node != "session", event.node != WorldCore.serverName, formatted.weight >= .traffic else {
                return
            }
            scenarios[event.node, default: []].append(formatted.text)
        }
        return scenarios
    }

    /// An error if the recorded cause of an input is wrong; nil if it is right. In both worlds inputs contain their
    /// causes, also for frames over sockets.
    private func wrongCause(of event: SessionEvent, _ cause: SessionEvent?) -> String? {
        guard case .input(let input) = event.content else { return nil }
        switch (input, cause?.content) {
        case (.frame(_, let frame), .effect(.send(_, let sent))?):
            // The server's host replaces a credential by its verdict, so these frames differ.
            let isSame = frame == sent || frame.body.name == sent.body.name && frame.body.credential != nil
            return isSame && event.node != cause?.node ? nil : "it was not sent by #\(event.cause)"
        case (.linkOpened, .effect(.connect)?), (.network, .environment?), (.linkFailed, _?), (.linkClosed, _?),
            (.deadlineReached, .input?), (.unreadable, .effect?):
            return nil
        case (.data(let answer), .effect(.data(let request))?):
            return answer.generation == request.generation ? nil : "it answers another opening"
        case (.app, _), (.clientCommand, nil), (.serverCommand, nil): return nil
        default: return "#\(event.cause) cannot have led to \(input)"
        }
    }

    private func firstDifference(_ left: [String], _ right: [String]) -> String {
        for index in 0..<max(left.count, right.count) {
            let one = index < left.count ? left[index] : "(the end)"
            let other = index < right.count ? right[index] : "(the end)"
            if one != other { return "at \(index): simulated '\(one)', live '\(other)'" }
        }
        return "none"
    }
}

/// The scripts and recordings of the project's library.
enum SessionLibrary {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "sessions").path

    /// The paths of the scripts within the library.
    private static let paths: [String] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".imr") }.sorted { fileName($0) < fileName($1) }
    }()

    private static func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The paths of the recordings, in the order of the scripts.
    static let recordings = paths.map { "\(folder)/\($0.dropLast(4)).pcapng" }

    /// The file names of the scripts, in order. They are unique.
    static let scripts = paths.map(fileName)

    /// The names of the scripts, without their extension.
    static let names = scripts.map { String($0.dropLast(4)) }

    /// The path of a script within the library.
    ///
    /// - Parameter name: the script's file name.
    static func libraryPath(of name: String) -> String { paths.first { fileName($0) == name } ?? name }

    /// - Parameter name: the script's file name.
    static func scriptPath(_ name: String) -> String { "\(folder)/\(libraryPath(of: name))" }

    /// - Parameter name: the name of the recording or the script, without its extension.
    static func recordingPath(_ name: some StringProtocol) -> String {
        "\(scriptPath("\(name).imr").dropLast(4)).pcapng"
    }

    /// - Parameter name: the recording's name, without its extension.
    static func replay(_ name: String) throws -> ReplaySession {
        try ReplaySession(path: recordingPath(name), output: LineOutput.silent)
    }

    /// - Parameter name: the recording's name, without its extension.
    static func reader(_ name: String) throws -> SessionReader { try SessionReader(path: recordingPath(name)) }

    /// The events of a recording. They are read once for all tests.
    ///
    /// - Parameter name: the recording's name, without its extension.
    static func events(_ name: String) throws -> [SessionEvent] {
        if let known = known.withLock({ $0[name] }) { return known }
        let reader = try reader(name)
        var events: [SessionEvent] = []
        try reader.forEach { view in
            events.append(SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema()))
        }
        known.withLock { $0[name] = events }
        return events
    }

    private static let known = Mutex<[String: [SessionEvent]]>([:])

    /// A script. It is read once for all tests.
    static func read(_ name: String) throws -> CheckedScript {
        if let known = knownScripts.withLock({ $0[name] }) { return known }
        let script = try ScriptFile.read(scriptPath(name), variables: [])
        knownScripts.withLock { $0[name] = script }
        return script
    }

    private static let knownScripts = Mutex<[String: CheckedScript]>([:])
}

extension WorldSettings {
    /// The script and the defaults decide everything. No file of the user is changed.
    static var forTests: WorldSettings {
        var settings = WorldSettings()
        settings.epochNanoseconds = 1_767_225_600_000_000_000
        return settings
    }
}
