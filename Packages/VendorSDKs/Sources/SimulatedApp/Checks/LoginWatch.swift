/// Follows an app's logins from beside, in one process: whether the user wanted them, and what an end leaves behind.
///
/// What the user does on a device has a number (`VirtualScheduler.currentTrigger`), which goes along with all that comes
/// of it: tasks, blocks, timers, completions. So a login that a tap led to is told from one that a callback led to.
struct LoginWatch {
    /// How a login ended.
    enum End: String {
        /// Others ended it: nothing but the user may begin another (C-5).
        case kick
        /// The app ended it: nothing of it goes on (C-4).
        case logout

        var rule: String { self == .kick ? "C-5" : "C-4" }
    }

    /// So many returns from kicks within that time, in nanoseconds, are a loop.
    private static let loop: (count: Int, length: UInt64) = (3, 60_000_000_000)

    /// What started the process.
    private let launch: Int
    /// The last end; what the user had done last by then; and from which of the user's doings on there may be a wish for
    /// a login that has not come yet. Nil from the next login on.
    private(set) var end: (how: End, action: Int, since: Int)?
    /// The login that is under way, counted from 1; nil while none is.
    private(set) var login: Int?
    /// Whether a login was ever begun.
    private(set) var hasBegun = false
    private var count = 0
    /// What led to a login already: it does not lead to another one.
    private var used: Set<Int> = []
    private var returns: [UInt64] = []
    private var hasToldLoop = false

    init(launch: Int) { self.launch = launch }

    /// A login begins.
    ///
    /// - Parameters:
    ///   - trigger: what led to it; nil for the test's own code.
    /// - Returns: what is wrong with it.
    mutating func begin(at time: UInt64, trigger: Int?) -> [(rule: String, text: String)] {
        defer {
            end = nil
            if let trigger { used.insert(trigger) }
        }
        hasBegun = true
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
            if returns.count >= Self.loop.count, !hasToldLoop {
                hasToldLoop = true
                let seconds = Self.loop.length / 1_000_000_000
                wrong.append((end.how.rule, "a login loop: kicked and back \(returns.count) times in \(seconds) s"))
            }
        }
        return wrong
    }

    /// The app is told that its login has ended.
    ///
    /// - Parameters:
    ///   - action: what the user has done last.
    ///   - trigger: what led to it: a login that is older than the wish for a logout is not wanted any more.
    mutating func ended(_ how: End, action: Int, trigger: Int) {
        guard end == nil || how == .logout else { return }
        end = (how, action, how == .logout ? trigger : 0)
        login = nil
    }
}
