import IMSession

/// Checks if a client of a profile can have written a log.
///
/// A ``LoginMonitor`` follows the login of each process. It reports an event that the client's rules do not allow, and
/// continues after it. Hidden events, such as a lost connection or the login of another device, are assumed only if the
/// next line needs them.
public struct LogCheck {
    private let grammar: LoginGrammar
    /// True if the log contains login calls. If not, the app does not log its calls, and each attempt is assumed to
    /// have a call.
    private let hasLoginCalls: Bool
    /// The names of the calls in the log. If the log never contains a call, each of its results is assumed to have a
    /// call.
    private let loggedCalls: Set<String>
    private let isComplete: Bool
    private var monitors: [Int: LoginMonitor] = [:]
    private var findings: [LogFinding] = []
    private var swaps: [LogSwap] = []

    /// - Parameter isComplete: true if the log has every call, result and callback. Then no missing line is assumed.
    /// - Returns: nil for an unknown profile.
    public static func findings(
        in log: ObservedLog, profile: String, isComplete: Bool = false
    ) -> [LogFinding]? {
        result(in: log, profile: profile, isComplete: isComplete)?.findings
    }

    /// The findings, and the pairs of neighbouring lines that are allowed only in reverse order.
    ///
    /// - Parameter isComplete: true if the log has every call, result and callback, in their real order.
    /// - Returns: nil for an unknown profile.
    public static func result(
        in log: ObservedLog, profile: String, isComplete: Bool = false
    ) -> (findings: [LogFinding], swaps: [LogSwap])? {
        guard let grammar = LoginGrammar.of(profile: profile) else { return nil }
        var check = LogCheck(grammar, log, isComplete: isComplete)
        let entries = log.entries.filter { $0.event.kind != .line }
        var index = 0
        while index < entries.count {
            let next = index + 1 < entries.count ? entries[index + 1] : nil
            index += check.takeSwapped(entries[index], next) ? 2 : 1
        }
        return (check.findings, check.swaps)
    }

    private init(_ grammar: LoginGrammar, _ log: ObservedLog, isComplete: Bool) {
        let logged = Set(log.entries.compactMap { grammar.step(of: $0.event)?.id })
        self.isComplete = isComplete
        self.grammar = isComplete ? grammar : grammar.assuming(onlyLogged: logged)
        loggedCalls = Set(log.entries.filter { $0.event.kind == .call }.map(\.event.name))
        hasLoginCalls = isComplete || loggedCalls.contains { LoginMonitor.isLogin($0) }
    }

    private func monitor(_ process: Int) -> LoginMonitor {
        monitors[process]
            ?? LoginMonitor(
                grammar, hasLoginCalls: hasLoginCalls, loggedCalls: loggedCalls, isComplete: isComplete)
    }

    /// Checks the next event. If it is not allowed, but it would be allowed after the event that follows it, both are
    /// accepted in reverse order. Two threads can write their lines some milliseconds late.
    ///
    /// - Returns: true if both events were accepted.
    private mutating func takeSwapped(_ entry: ObservedLog.Entry, _ next: ObservedLog.Entry?) -> Bool {
        var monitor = monitor(entry.event.process)
        if !isComplete, let next, canSwap(entry, next), let fault = monitor.take(entry.event), fault.group == nil {
            var other = self.monitor(entry.event.process)
            if other.take(next.event) == nil, other.take(entry.event) == nil {
                monitors[entry.event.process] = other
                swaps.append(
                    LogSwap(
                        lines: [entry.event.line, next.event.line],
                        milliseconds: (next.offset - entry.offset) / 1_000_000))
                return true
            }
        }
        take(entry.event)
        return false
    }

    private func canSwap(_ entry: ObservedLog.Entry, _ next: ObservedLog.Entry) -> Bool {
        entry.event.process == next.event.process && next.offset - entry.offset <= LogSwap.distanceMax
            && !entry.event.stamp.isEmpty && !next.event.stamp.isEmpty && canSwap(entry.event) && canSwap(next.event)
    }

    /// True if the event may be exchanged with a neighbour. An event that ends a login may not, so that a line after
    /// the end is a finding even if the two are close.
    private func canSwap(_ event: LoggedEvent) -> Bool {
        switch event.kind {
        case .call, .return: return event.name != "logout"
        case .callback:
            guard let step = grammar.step(of: event) else { return true }
            return step.role == .progress || step.role == .failedAttempt
        case .frame, .life, .line: return false
        }
    }

    private mutating func take(_ event: LoggedEvent) {
        var monitor = monitor(event.process)
        if let fault = monitor.take(event) {
            if let index = fault.group.flatMap({ monitor.openFindings[$0] }) {
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
                if let group = fault.group { monitor.openFindings[group] = findings.count }
                findings.append(finding)
            }
        }
        monitors[event.process] = monitor
    }

    /// The order of the rules of a finding: first the common rules (`C-`), then the vendor's, each by number.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        func key(_ id: String) -> (Int, Int) {
            (id.hasPrefix("C-") ? 0 : 1, id.split(separator: "-").last.flatMap { Int($0) } ?? 0)
        }
        return key(left) < key(right)
    }
}

/// Two neighbouring lines that are allowed in reverse order. Two threads wrote them at nearly the same time.
public struct LogSwap: Hashable, Sendable {
    /// The numbers of both lines.
    public var lines: [Int]
    /// The time between the lines.
    public var milliseconds: Int64

    /// The maximum time between two such lines, in nanoseconds. A line can be 12 ms late.
    static let distanceMax: Int64 = 12_000_000
}

/// An event that the rules do not allow.
struct LogFault {
    /// Faults of one group after the same end of a login are one finding.
    enum Group: Hashable {
        case login, ending, frames, callbacks
    }

    /// The group of the fault; nil if the fault is a finding by itself.
    var group: Group?
    var problem: String
    var rules: [String]
    var allowed: [String]
    var isLoginSuccess = false
}
