import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Each command completes exactly once (C-1), within its time limit.
struct CommandChecker: Checker {
    private struct OpenCommand {
        var id: CommandID
        var command: ClientCommand
        var startedAt: Instant
    }

    private let policy: ClientPolicy
    private var open: [OpenCommand] = []
    private var completed: Set<CommandID> = []
    /// The time of the device's last sleep. Time limits are not checked for commands that began before the sleep.
    private var sleptAt: Instant?
    private var isClosing = false
    /// True if a logout completed during the current input.
    private var hasLoggedOut = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            if isClosing, let left = open.first {
                violations.add(
                    .commands, "C-1", "a command is not completed when the app closes", left.command.fieldText)
            }
            open.removeAll()
            completed.removeAll()
            (isClosing, hasLoggedOut) = (false, false)
        case .input(let input):
            checkAfterLogout(trace, into: &violations)
            switch input {
            case .app(.closing): isClosing = true
            case .clientCommand(let id, let command):
                open.append(OpenCommand(id: id, command: command, startedAt: event.time))
            default: break
            }
        case .environment(.sleep): sleptAt = event.time
        case .effect(.complete(let id, _)):
            guard completed.insert(id).inserted else {
                return violations.add(.commands, "C-1", "a command is completed twice", "\(id.rawValue)")
            }
            guard let index = open.firstIndex(where: { $0.id == id }) else {
                return violations.add(.commands, "C-1", "a command is completed that was not issued", "\(id.rawValue)")
            }
            let ended = open.remove(at: index)
            checkTime(ended, at: event.time, into: &violations)
            if case .logout = ended.command { hasLoggedOut = true }
        default: break
        }
    }

    /// Commands that were issued before a logout complete before the logout or together with it (C-4).
    private mutating func checkAfterLogout(_ trace: ClientTrace, into violations: inout [Violation]) {
        guard hasLoggedOut else { return }
        hasLoggedOut = false
        guard trace.state == .loggedOut, let left = open.first else { return }
        violations.add(.commands, "C-4", "a command is not completed at the end of a logout", left.command.fieldText)
    }

    private func checkTime(_ ended: OpenCommand, at now: Instant, into violations: inout [Violation]) {
        guard let limit = limit(of: ended.command), sleptAt.map({ $0 < ended.startedAt }) ?? true else { return }
        let duration = now - ended.startedAt
        guard duration > limit else { return }
        let detail = "\(duration.inMilliseconds) ms, limit \(limit.inMilliseconds)"
        violations.add(.commands, "C-1", "a \(ended.command.fieldText) took longer than its limit", detail)
    }

    /// The longest time that a command may take; nil if it may wait for a network without a limit.
    private func limit(of command: ClientCommand) -> Interval? {
        let answer = max(policy.requestTimeLimit, policy.logoutTimeLimit)
        switch command {
        case .login(let call) where call.mode == .manual: return policy.attemptTimeLimit
        case .login: return nil
        case .logout: return policy.logoutTimeLimit
        // The client answers a query at once.
        case .query, .setOption, .goOffline, .goOnline: return .zero
        case .send, .resend: return max(policy.messageTimeLimit, answer)
        case .renewToken, .kick, .join, .leave, .setAttributes, .ask, .watch, .operate: return answer
        case .accountCall: return max(policy.attemptTimeLimit, answer)
        case .tree, .call, .change: return nil
        }
    }

    /// Checks that no command is still open that was issued long ago and could have completed by now.
    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard client.hasRecovered else { return [] }
        return overdue(client.trace, since: client.now - client.recoveryLimit)
    }

    /// A violation for each command that was issued before `since` and should have completed.
    func overdue(_ trace: ClientTrace, since: Instant) -> [Violation] {
        open.filter { $0.startedAt < since && isOverdue($0.command, trace) }.map { command in
            let detail = "command \(command.id.rawValue), a \(command.command.fieldText)"
            return Violation(.commands, "C-1", "a \(command.command.fieldText) was never completed", detail)
        }
    }

    /// An automatic login and a tree write may wait for a network without a limit. Any other old command is overdue.
    private func isOverdue(_ command: ClientCommand, _ trace: ClientTrace) -> Bool {
        switch command {
        case .login, .tree: trace.state == .online || trace.state.isOver
        default: true
        }
    }
}
