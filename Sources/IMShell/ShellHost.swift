import IMProfiles
import IMSession
import IMSimulation
import Recorder

/// The services that a shell requires from the program: live worlds with sockets, databases and keys, commands on
/// recordings, and checkers.
package protocol ShellHost: Sendable {
    /// Opens the world on which a shell acts.
    ///
    /// - Parameters:
    ///   - recording: receives all events; nil to record nothing.
    ///   - summarize: returns the text of an event, which is recorded with the event.
    ///   - warn: receives the texts of errors that do not stop the world.
    /// - Throws: ``ShellError``, or a `WorldError`.
    func open(
        _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
        warn: @escaping @Sendable (String) -> Void
    ) throws -> any World

    /// Executes the command `sessions`.
    func sessions(_ action: SessionsAction, in shell: Shell) throws

    /// Creates the checker for `check rules`; nil if the program has no checkers.
    func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)?
}

extension ShellHost {
    package func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)? { nil }
}

/// The services of a program without live worlds. Its worlds are simulated and can continue from a recording.
package struct SimulationHost: ShellHost {
    package init() {}

    package func open(
        _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
        warn: @escaping @Sendable (String) -> Void
    ) throws -> any World {
        guard plan.kind == .simulated else {
            throw ShellError(message: "only the simulated world is available here", reason: .usage)
        }
        if let dataFolder = plan.settings.dataFolder {
            warn(
                "note: the simulated world stores nothing: the data of its apps and its server end with it; "
                    + "only recordings are stored in '\(dataFolder)' (--world live also stores the data there)")
        }
        guard let origin = plan.origin else {
            return try SimulatedWorld(
                plan.configuration, recording: recording, store: MemoryClientStore(), summarize: summarize)
        }
        var configuration = try WorldConfiguration(continuing: origin.decoded.header)
        configuration.flushing = .beforeShown
        return try Fork.world(
            from: origin.decoded, after: origin.number, configuration: configuration, recording: recording,
            summarize: summarize)
    }

    package func sessions(_ action: SessionsAction, in shell: Shell) throws {
        throw CommandFailure("there are no recordings here; 'imrepl sessions' lists them")
    }
}
