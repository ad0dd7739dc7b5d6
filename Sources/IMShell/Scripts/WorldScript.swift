import IMClient
import IMDebugger
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Lines of the script language for a world that other code has made and drives, such as the test of an app: other
/// devices, the network, the server, expectations of observed events.
///
/// The owner of the world passes its events on: each to ``words(for:)`` as the world's summary, and to ``take(_:)``
/// when it has been recorded.
public final class WorldScript {
    private let plan: WorldPlan
    private let log: EventLog
    private var shell: Shell?

    /// - Parameters:
    ///   - profile: the system, such as `nim`.
    ///   - seed: decides every random draw.
    ///   - order: the order of events that are due at the same time.
    ///   - title: the title of the session.
    /// - Throws: ``ShellError`` for an unknown system.
    public init(profile: String, seed: UInt64, order: DueOrder = .fixed, title: String) throws {
        var settings = WorldSettings()
        settings.profile = profile
        settings.seed = seed
        settings.order = order
        plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: title)
        log = EventLog(dialect: plan.dialect)
    }

    /// The configuration of a world for such a script.
    public var configuration: WorldConfiguration {
        var configuration = plan.configuration
        configuration.flushing = .whenFull
        return configuration
    }

    /// The header of its session.
    public var header: SessionHeader { plan.header }

    /// The text of an event, for the recording.
    public func words(for event: SessionEvent) -> String { log.formatForRecording(event) }

    /// Stores an event that has been recorded.
    public func take(_ event: SessionEvent) { log.take(event) }

    /// Runs the lines, and stops at the first failure.
    ///
    /// - Throws: ``ScriptTest/Failure`` with the line and the reason; ``ShellError`` if a line cannot be parsed:
    ///   nothing has run then.
    public func run(_ lines: String, in world: any World) throws {
        let shell =
            self.shell
            ?? Shell(
                operating: world, plan, log: log, recordingPath: nil, output: LineOutput.silent, host: SimulationHost())
        self.shell = shell
        let script = try ParsedLines.parse(lines, variables: Set(shell.variables.keys))
        if let failure = try ScriptRunner(shell: shell, script: script).firstFailure() {
            throw ScriptTest.Failure(failure)
        }
    }
}
