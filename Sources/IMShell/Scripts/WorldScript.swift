import IMClient
import IMDebugger
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Runs lines of the script language in a world that other code created and runs, such as the test of an app. The lines
/// can control other devices, the network and the server, and can expect events.
///
/// The owner of the world must pass each event to this script: first to ``text(for:)``, whose result is recorded as
/// the event's text, then, when the event is recorded, to ``take(_:)``.
public final class WorldScript {
    private let plan: WorldPlan
    private let log: EventLog
    private var shell: Shell?

    /// - Parameters:
    ///   - profile: the system, such as `nim`.
    ///   - seed: the random seed of the world.
    ///   - order: the order of timers and frames that are due at the same time.
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

    /// The configuration with which the owner must create the world.
    public var configuration: WorldConfiguration {
        var configuration = plan.configuration
        configuration.flushing = .whenFull
        return configuration
    }

    /// The header of the world's session.
    public var header: SessionHeader { plan.header }

    /// Formats an event as the text that the owner of the world records with the event.
    public func text(for event: SessionEvent) -> String { log.formatForRecording(event) }

    /// Stores an event that has been recorded.
    public func take(_ event: SessionEvent) { log.take(event) }

    /// Runs the lines up to the first failure.
    ///
    /// - Throws: ``ScriptTest/Failure`` with the line and the reason; ``ShellError`` if a line cannot be parsed, before
    ///   any line runs.
    public func run(_ lines: String, in world: any World) throws {
        let shell =
            self.shell
            ?? Shell(
                operating: world, plan, log: log, recordingPath: nil, output: LineOutput.silent, host: SimulationHost())
        self.shell = shell
        let script = try ScriptCache.parse(lines, variables: Set(shell.variables.keys))
        if let failure = try ScriptRunner(shell: shell, script: script).firstFailure() {
            throw ScriptTest.Failure(failure)
        }
    }
}
