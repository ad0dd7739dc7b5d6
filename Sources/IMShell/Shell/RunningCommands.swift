import IMClient
import IMProfiles
import IMSession
import SansIO

/// The clients' commands that are in progress.
struct RunningCommands {
    private struct RunningCommand {
        var node: String
        var command: IMClient.ClientCommand
        var since: Instant

        var call: CallKind { CallKind(command) }
    }

    /// The commands in the order in which they started.
    private var commands: [(id: UInt32, running: RunningCommand)] = []
    /// The clients that are connecting or syncing, and since when. They count as busy, because a login can have its
    /// result before its data has arrived.
    private var connectingClients: [(node: String, since: Instant)] = []

    /// - Returns: the command that the event completes; nil if there is none.
    @discardableResult
    mutating func take(_ event: SessionEvent) -> IMClient.ClientCommand? {
        switch event.content {
        case .input(.clientCommand(let id, let command)):
            commands.append((id.rawValue, RunningCommand(node: event.node, command: command, since: event.time)))
        case .effect(.complete(let id, _)):
            guard let index = commands.firstIndex(where: { $0.id == id.rawValue }) else { return nil }
            return commands.remove(at: index).running.command
        case .effect(.transition(let change)):
            connectingClients.removeAll { $0.node == event.node }
            if change.to == .connecting || change.to == .syncing { connectingClients.append((event.node, event.time)) }
        case .stop:
            commands.removeAll { $0.running.node == event.node }
            connectingClients.removeAll { $0.node == event.node }
        default: break
        }
        return nil
    }

    var isEmpty: Bool { commands.isEmpty && connectingClients.isEmpty }

    /// The time at which the last command has ended at the latest, by the time limits of the policy; nil if no command
    /// is in progress.
    func end(by policy: ClientPolicy) -> Instant? {
        (commands.map { $0.running.since + Self.limit(of: $0.running.call, by: policy) }
            + connectingClients.map { $0.since + policy.attemptTimeLimit }).max()
    }

    private static func limit(of call: CallKind, by policy: ClientPolicy) -> Interval {
        switch call {
        case .login, .autologin, .offlineLogin: policy.attemptTimeLimit
        case .logout: policy.logoutTimeLimit
        case .send, .channelSend: policy.messageTimeLimit
        case .tree, .onDisconnect, .goOffline, .goOnline: max(policy.readTimeLimit, policy.requestTimeLimit)
        case .kick, .query, .memberQuery, .attributeQuery, .join, .leave, .option, .attributes, .watch, .operate,
            .renewToken,
            .accountCall, .call, .change:
            policy.requestTimeLimit
        }
    }
}

extension Shell {
    /// Waits until all commands in progress end, at most for their time limits. Returns earlier if the server is
    /// unreachable.
    package func awaitRunningCommands() throws {
        let (log, policy) = (log, plan.dialect.clientPolicy)
        let left = try world.perform { core -> Interval? in
            log.running.end(by: policy).map { max($0 - core.now, .zero) }
        }
        guard let left else { return }
        _ = try world.advance(by: left + grace) { core in log.running.isEmpty || core.unreachableReason != nil }
    }

    /// The reason why the server is unreachable; nil if it is reachable.
    package var unreachableReason: String? {
        get throws { try world.perform { $0.unreachableReason } }
    }
}
