import IMProfiles
import IMSession
import IMSimulation
import Recorder

/// The services of the program for a shell: live worlds with their sockets, databases and keys, and commands on
/// recordings.
package protocol ShellHost: Sendable {
    /// Opens the world that a shell acts on.
    ///
    /// - Parameters:
    ///   - recording: receives all events; nil keeps nothing.
    ///   - summarize: the text of an event, for the recording's comments.
    ///   - warn: receives errors that do not stop the world.
    /// - Throws: ``ShellError``, or a `WorldError`.
    func open(
        _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
        warn: @escaping @Sendable (String) -> Void
    ) throws -> any World

    /// Executes `sessions`.
    func sessions(_ action: SessionsAction, in shell: Shell) throws

    /// The checker of `check rules`; nil for a program without checkers.
    func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)?
}

extension ShellHost {
    package func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)? { nil }
}

/// A program without live worlds: worlds are simulated, or continue from a recording.
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
        var configuration = try WorldConfiguration(goingOnFrom: origin.decoded.header)
        configuration.flushing = .beforeShown
        return try Fork.world(
            from: origin.decoded, after: origin.number, configuration: configuration, recording: recording,
            summarize: summarize)
    }

    package func sessions(_ action: SessionsAction, in shell: Shell) throws {
        throw CommandFailure("there are no recordings here; 'imrepl sessions' lists them")
    }
}
