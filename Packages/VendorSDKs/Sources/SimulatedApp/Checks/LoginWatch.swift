/// Watches an app's logins in one process: whether the user requested them, and what continues after their end.
///
/// Each action of the user on a device has a number (`VirtualScheduler.currentTrigger`), which all its effects inherit:
/// tasks, blocks, timers, completions. This distinguishes a login caused by a tap from one caused by a callback.
struct LoginWatch {
    /// The way a login ended.
    enum End: String {
        /// Others ended it: only the user may start another (C-5).
        case kick
        /// The app ended it: nothing of it continues (C-4).
        case logout

        var rule: String { self == .kick ? "C-5" : "C-4" }
    }

    /// This number of returns from kicks within this time, in nanoseconds, is a loop.
    private static let loop: (count: Int, length: UInt64) = (3, 60_000_000_000)

    /// The trigger that started the process.
    private let launch: Int
    /// The last end; the user's last action by then; and the first action that may have requested a login which has not
    /// started yet. Nil after the next login.
    private(set) var end: (how: End, action: Int, since: Int)?
    /// The user's last action before the last kick. Nil after the next login. A logout in the callback keeps it.
    private(set) var actionAtKick: Int?
    /// The current login, counted from 1. Nil while there is none.
    private(set) var login: Int?
    /// True if a login was ever started.
    private(set) var hasStarted = false
    private var count = 0
    /// Triggers that have led to a login already. They do not lead to another one.
    private var used: Set<Int> = []
    private var returns: [UInt64] = []
    private var hasReportedLoop = false

    init(launch: Int) { self.launch = launch }

    /// A login starts.
    ///
    /// - Parameters:
    ///   - trigger: the cause of the login; nil for the test's own code.
    /// - Returns: the violations.
    mutating func begin(at time: UInt64, trigger: Int?) -> [(rule: String, text: String)] {
        defer {
            end = nil
            actionAtKick = nil
            if let trigger { used.insert(trigger) }
        }
        hasStarted = true
        if login == nil {
            count += 1
            login = count
        }
        guard let end, let trigger else { return [] }
        let isUsers = trigger > end.action || trigger >= end.since && trigger > launch && !used.contains(trigger)
        guard !isUsers else { return [] }
        var wrong = [
            (end.how.rule, "a login by the app itself after a \(end.how.rawValue): only its user may want one")
        ]
        if end.how == .kick {
            returns = returns.filter { time - $0 <= Self.loop.length } + [time]
            if returns.count >= Self.loop.count, !hasReportedLoop {
                hasReportedLoop = true
                let seconds = Self.loop.length / 1_000_000_000
                wrong.append((end.how.rule, "a login loop: kicked and back \(returns.count) times in \(seconds) s"))
            }
        }
        return wrong
    }

    /// The app is notified that its login has ended.
    ///
    /// - Parameters:
    ///   - action: the user's last action.
    ///   - trigger: the cause of the end: a login requested before that logout is not wanted any more.
    mutating func ended(_ how: End, action: Int, trigger: Int) {
        guard end == nil || how == .logout else { return }
        if how == .kick { actionAtKick = action }
        end = (how, action, how == .logout ? trigger : 0)
        login = nil
    }
}
