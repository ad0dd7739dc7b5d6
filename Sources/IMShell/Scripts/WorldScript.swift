import IMClient
import IMDebugger
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Lines of the script language that act on a world which somebody else has made and steers, such as the test of an app:
/// other devices, the network, the server, expectations of what was seen.
///
/// Whoever makes the world hands it its events: each to ``words(for:)`` as the world's summary, and to ``take(_:)`` when
/// it is told of it.
public final class WorldScript {
    private let plan: WorldPlan
    private let log: EventLog
    private var shell: Shell?

    /// - Parameters:
    ///   - profile: the system, such as `nim`.
    ///   - seed: decides every draw of chance.
    ///   - order: in which order things happen that are due at the same moment.
    ///   - title: what the session is about.
    /// - Throws: ``ShellError`` for a system that there is not.
    public init(profile: String, seed: UInt64, order: DueOrder = .fixed, title: String) throws {
        var request = WorldRequest()
        request.profile = profile
        request.seed = seed
        request.order = order
        plan = try WorldPlan(
            request, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: title)
        log = EventLog(dialect: plan.dialect)
    }

    /// What a world for such a script is made from.
    public var configuration: WorldConfiguration {
        var configuration = plan.configuration
        configuration.flushing = .whenFull
        return configuration
    }

    /// The head of its session.
    public var header: SessionHeader { plan.header }

    /// An event in words, for the recording.
    public func words(for event: SessionEvent) -> String { log.tell(event) }

    /// Takes in an event that has been recorded.
    public func take(_ event: SessionEvent) { log.take(event) }

    /// Runs the lines, and stops at the first that fails.
    ///
    /// - Throws: ``ScriptTest/Failure`` with the line and why; ``ShellError`` where a line cannot be understood: nothing
    ///   has run then.
    public func run(_ lines: String, in world: any World) throws {
        let shell =
            self.shell
            ?? Shell(
                operating: world, plan, log: log, recordingPath: nil, output: LineOutput.silent, host: SimulationHost())
        self.shell = shell
        let parsed = try ParsedLines.parse(lines, variables: Set(shell.variables.keys))
        for statement in parsed.script.statements {
            let command = parsed.commands[statement]
            if let reason = try ScriptRunner.failure(of: statement, as: command, in: parsed.script, shell) {
                throw ScriptTest.Failure(statement, reason)
            }
        }
    }
}
