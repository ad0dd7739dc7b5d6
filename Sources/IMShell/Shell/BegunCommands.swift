import IMClient
import IMProfiles
import IMSession
import SansIO

/// The clients' commands that have not ended.
struct BegunCommands {
    private struct Begun {
        var node: String
        var command: IMClient.ClientCommand
        var since: Instant

        var call: CallKind { CallKind(command) }
    }

    /// In the order of their start.
    private var commands: [(id: UInt32, begun: Begun)] = []
    /// Clients that are connecting or syncing, with the start time: a login can have a result before its data has
    /// arrived.
    private var onTheWay: [(node: String, since: Instant)] = []

    /// - Returns: the command that the event ends.
    @discardableResult
    mutating func take(_ event: SessionEvent) -> IMClient.ClientCommand? {
        switch event.content {
        case .input(.clientCommand(let id, let command)):
            commands.append((id.rawValue, Begun(node: event.node, command: command, since: event.time)))
        case .effect(.complete(let id, _)):
            guard let place = commands.firstIndex(where: { $0.id == id.rawValue }) else { return nil }
            return commands.remove(at: place).begun.command
        case .effect(.transition(let change)):
            onTheWay.removeAll { $0.node == event.node }
            if change.to == .connecting || change.to == .syncing { onTheWay.append((event.node, event.time)) }
        case .stop:
            commands.removeAll { $0.begun.node == event.node }
            onTheWay.removeAll { $0.node == event.node }
        default: break
        }
        return nil
    }

    var isEmpty: Bool { commands.isEmpty && onTheWay.isEmpty }

    /// The time by which the last of them must have ended, by its own time limit; nil if none is in progress.
    func end(by policy: ClientPolicy) -> Instant? {
        (commands.map { $0.begun.since + Self.limit(of: $0.begun.call, by: policy) }
            + onTheWay.map { $0.since + policy.attemptTimeLimit }).max()
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
    /// Waits until the commands in progress end, at most for their own time limits. Returns earlier if the clients'
    /// server is unreachable.
    package func awaitBegun() throws {
        let (log, policy) = (log, plan.dialect.clientPolicy)
        let left = try world.perform { core -> Interval? in
            log.begun.end(by: policy).map { max($0 - core.now, .zero) }
        }
        guard let left else { return }
        let grace =
            world.isSimulated
            ? .zero : Interval(nanoseconds: Int64(Double(Self.liveGrace.nanoseconds) * plan.timeScale))
        _ = try world.advance(by: left + grace) { core in log.begun.isEmpty || core.unreached != nil }
    }

    /// The reason why the clients' server is unreachable; nil if it was reached.
    package var unreached: String? {
        get throws { try world.perform { $0.unreached } }
    }
}
