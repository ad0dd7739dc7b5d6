import IMSession

/// Checks whether a client of this profile can have written a log.
///
/// A monitor follows the login of each process. It reports an event that the client's rules do not allow, and continues
/// after it. Hidden events, such as a lost connection or another device's login, are assumed only if the next line
/// needs them.
public struct LogCheck {
    private let grammar: LoginGrammar
    /// True if the log has login calls. Otherwise the app did not log them, and each attempt has a hidden call.
    private let hasLoginCalls: Bool
    /// The calls of the log by name: a result whose call the app never logs has a hidden call.
    private let loggedCalls: [String]
    private let isComplete: Bool
    private var monitors: [Int: LoginMonitor] = [:]
    private var findings: [LogFinding] = []

    /// - Parameter isComplete: true if the log has every call, result and callback. Then no missing line is assumed.
    /// - Returns: nil for an unknown profile.
    public static func findings(
        in log: ObservedLog, profile: String, isComplete: Bool = false
    ) -> [LogFinding]? {
        guard let grammar = LoginGrammar.of(profile: profile) else { return nil }
        var check = LogCheck(grammar, log, isComplete: isComplete)
        for entry in log.entries where entry.event.kind != .line { check.take(entry.event) }
        return check.findings
    }

    private init(_ grammar: LoginGrammar, _ log: ObservedLog, isComplete: Bool) {
        var logged: [String] = []
        for entry in log.entries {
            if let step = grammar.step(of: entry.event), !logged.contains(step.id) { logged.append(step.id) }
        }
        self.isComplete = isComplete
        self.grammar = isComplete ? grammar : grammar.assuming(onlyLogged: logged)
        var calls: [String] = []
        for entry in log.entries where entry.event.kind == .call && !calls.contains(entry.event.name) {
            calls.append(entry.event.name)
        }
        loggedCalls = calls
        hasLoginCalls = isComplete || calls.contains { LoginMonitor.isLogin($0) }
    }

    private mutating func take(_ event: LoggedEvent) {
        var monitor =
            monitors[event.process]
            ?? LoginMonitor(
                grammar, hasLoginCalls: hasLoginCalls, loggedCalls: loggedCalls, isComplete: isComplete)
        if let fault = monitor.take(event) {
            if let index = fault.group.flatMap({ monitor.open[$0] }) {
                findings[index].add(event)
                if fault.isLoginSuccess {
                    (findings[index].problem, findings[index].line) = (fault.problem, event.line)
                }
                for rule in fault.rules where !findings[index].rules.contains(rule) {
                    findings[index].rules.append(rule)
                }
                findings[index].rules.sort { LogCheck.precedes($0, $1) }
            } else {
                var finding = LogFinding(
                    problem: fault.problem, rules: fault.rules, allowed: fault.allowed, process: event.process)
                finding.add(event)
                finding.rules.sort { LogCheck.precedes($0, $1) }
                if let group = fault.group { monitor.open[group] = findings.count }
                findings.append(finding)
            }
        }
        monitors[event.process] = monitor
    }

    /// The common rules first, each group by number.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        func key(_ id: String) -> (Int, Int) {
            (id.hasPrefix("C-") ? 0 : 1, id.split(separator: "-").last.flatMap { Int($0) } ?? 0)
        }
        return key(left) < key(right)
    }
}

/// An event that is not allowed.
struct LogFault {
    /// Faults of one group that follow the same ending are one finding.
    enum Group: Hashable {
        case login, ending, frames, callbacks
    }

    /// Nil for a separate finding.
    var group: Group?
    var problem: String
    var rules: [String]
    var allowed: [String]
    var isLoginSuccess = false
}
