import IMClient
import IMProfiles
import IMProtocol

/// Assumed times for the lines of a log without times, made from the usual waits between such lines. Only the order of
/// the lines is compared with a simulation. A wait must be long enough that everything before it has ended, and short
/// enough that retries keep their order.
struct AssumedTimes {
    /// The maximum difference between a line's assumed time and its simulated time.
    static let tolerance: Milliseconds = 600_000
    /// How much earlier a simulated line may be than the simulated line that matches the previous line of the log.
    /// Lines with nearly the same time may be in any order.
    static let disorderMax: Milliseconds = 60

    /// The wait between two unrelated lines.
    private static let pause: Milliseconds = 60_000
    private static let oneWayDelay: Milliseconds = 20
    private static let outage: Milliseconds = 20_000

    /// The time of each line.
    private(set) var times: [Milliseconds] = []
    private let lines: [AppLine]
    private let vendor: any VendorCauses
    private let retryDelays: [Milliseconds]
    private let attemptLimit: Milliseconds
    private let timeoutCode: String
    private var now: Milliseconds
    private var state = LineMeaning.loggedOut
    private var attemptStart: Milliseconds
    private var attemptCount = 0

    init(_ lines: [AppLine], _ vendor: any VendorCauses, _ dialect: any Dialect, origin: Milliseconds) {
        self.lines = lines
        self.vendor = vendor
        let policy = dialect.clientPolicy
        retryDelays = policy.retryDelays.map(\.inMilliseconds)
        attemptLimit = policy.attemptTimeLimit.inMilliseconds
        timeoutCode = String(dialect.code(for: .timeout, of: .login).number)
        now = origin
        attemptStart = origin
        for index in lines.indices {
            if index > 0 { advance(to: index) }
            times.append(now)
            note(lines[index])
        }
    }

    private mutating func advance(to index: Int) {
        let line = lines[index]
        let before = vendor.meaning(of: lines[index - 1])
        let meaning = vendor.meaning(of: line)
        if state == .connecting, endsByTimeout(index) {
            now = max(now, attemptStart + attemptLimit)
            return
        }
        switch (line.kind, meaning) {
        case (.start, _), (.life, _): now += Self.pause
        case (.call, _) where [.tokenWarning, .tokenEnded, .kicked].contains(before): now += 5  // The app reacts.
        case (.call, _): now += isPending(index) ? 5 : Self.pause
        case (.result, _): now += Self.oneWayDelay
        // A login call between the start and the callback is not in the log.
        case (.callback, _) where lines[index - 1].kind == .start: now += 1000
        case (_, .connecting) where state == .lost:
            now += attemptCount < retryDelays.count ? retryDelays[attemptCount] : retryDelays.last ?? Self.oneWayDelay
        case (_, .online): now += state == .lost && before != .connecting ? Self.outage : 2 * Self.oneWayDelay
        // Some SDKs report the end of a login with two callbacks: first the state, then the reason.
        case (_, .kicked) where before == .lost, (_, .tokenEnded) where before == .lost || before == .tokenEnded:
            now += 5
        case (_, .devices) where before == .online: now += 5
        case (_, .lost), (_, .kicked), (_, .tokenEnded), (_, .tokenWarning), (_, .message), (_, .presence),
            (_, .operation), (_, .devices), (_, .value), (_, .networkChanged):
            now += Self.pause
        case (_, .linkFailed), (_, .failed), (_, .loggedOut), (_, .connecting), (_, .other): now += 5
        }
    }

    private mutating func note(_ line: AppLine) {
        let meaning = vendor.meaning(of: line)
        switch meaning {
        case .online, .kicked, .tokenEnded, .loggedOut, .failed: state = meaning
        case .lost:
            state = .lost
            attemptCount = 0
        case .connecting:
            if state == .lost {
                attemptCount += 1
            } else {
                begin()
            }
        default: break
        }
        if line.kind == .start { state = .loggedOut }
        if line.isLoginCall { begin() }
    }

    private mutating func begin() {
        if state != .connecting { attemptStart = now }
        state = .connecting
    }

    /// True if a call before the line `index` has no result before it, but has one at or after it.
    private func isPending(_ index: Int) -> Bool {
        if state == .connecting { return true }
        let calls = lines[..<index].filter { $0.kind == .call }
        return lines[index...].contains { line in
            guard line.kind == .result else { return false }
            let begun = calls.count { $0.name == line.name }
            return begun > lines[..<index].count { $0.kind == .result && $0.name == line.name }
        }
    }

    /// True if a login fails by its time limit at a line, or at one of the two next lines.
    private func endsByTimeout(_ index: Int) -> Bool {
        switch vendor.meaning(of: lines[index]) {
        case .online, .connecting, .lost: return false
        default: break
        }
        guard lines[index].kind != .call else { return false }
        return lines[index...].prefix(3).contains { line in
            line.kind == .result && line.name == "login" && line["code"] == timeoutCode || vendor.isLoginTimeout(line)
        }
    }
}
