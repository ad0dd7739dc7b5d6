import Recorder

/// Running to where something holds.
extension ReplayCommands {
    static let stopping: [ReplayCommand] = []

    static func run(name: String, isForward: Bool) -> ReplayCommand {
        ReplayCommand(
            name: name, group: .moving, summary: isForward ? "Run to the end." : "Run back to the beginning.",
            run: { session, _ in try session.move(to: isForward ? session.count : 0) })
    }
}

/// The break points and watches of a replay.
struct StopList {}
