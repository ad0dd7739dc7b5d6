import IMSession

/// Follows the login of one process, and reports the events that the grammar does not allow.
struct LoginMonitor {
    /// The end of the login, and the line that shows it.
    private struct Ending {
        var kind: Kind
        var line: Int

        enum Kind: String {
            case kick = "the kick"
            case logout = "the logout"
            case token = "the end of the token"
            case failure = "the failed login"
        }

        var text: String { "\(kind.rawValue) in line \(line)" }
    }

    private let grammar: LoginGrammar
    private let hasLoginCalls: Bool
    private let loggedCalls: Set<String>
    /// True if the log has every line, so that a missing line is a finding.
    private let isComplete: Bool
    /// The indices of the findings to which the next lines may belong, by group.
    var openFindings: [LogFault.Group: Int] = [:]
    /// The id of the last step; nil if the log does not show one yet.
    private var lastStep: String?
    private var ending: Ending?
    /// True while a login waits for its result.
    private var isAttempt = false
    private var isLoggingOut = false
    /// True if a logout completed after the login had ended.
    private var isLoggedOut = false
    /// True if a callback has already reported the expiry of the current token.
    private var isExpiryReported = false
    /// The number of calls without a result, by name.
    private var openCalls: [String: Int] = [:]
    private var returnedIDs: [String] = []
    private var hasProcessStart = false

    init(_ grammar: LoginGrammar, hasLoginCalls: Bool, loggedCalls: Set<String>, isComplete: Bool) {
        self.grammar = grammar
        self.hasLoginCalls = hasLoginCalls
        self.loggedCalls = loggedCalls
        self.isComplete = isComplete
    }

    static func isLogin(_ name: String) -> Bool {
        name == "login" || name == "autologin" || name == "offline-login" || name == "loginWithToken"
    }

    /// - Returns: the violation; nil if the event is allowed.
    mutating func take(_ event: LoggedEvent) -> LogFault? {
        switch event.kind {
        case .call:
            let fault = isComplete ? missingResult(before: event) : nil
            takeCall(event)
            return fault
        case .return: return takeReturn(event)
        case .callback:
            guard let step = grammar.step(of: event) else { return takeOther(event) }
            return take(step, event)
        case .frame: return takeFrame(event)
        case .life:
            if event.name == LoggedEvent.processStarted, !event.isStartMissing {
                self = LoginMonitor(
                    grammar, hasLoginCalls: hasLoginCalls, loggedCalls: loggedCalls, isComplete: isComplete)
                lastStep = LoginGrammar.nothing
                hasProcessStart = true
            }
            return nil
        case .line: return nil
        }
    }

    // MARK: Calls and results

    private mutating func takeCall(_ event: LoggedEvent) {
        openCalls[Self.callName(event.name), default: 0] += 1
        if Self.isLogin(event.name) {
            isExpiryReported = false
            let isLoggedIn = ending == nil && lastStep != LoginGrammar.nothing && lastStep != nil
            if isLoggedIn || (grammar.kickedNeedsLogout && ending?.kind == .kick) { return }
            startLogin()
        } else if event.name == "logout" {
            isLoggingOut = true
        } else if event.name == "renew-token" {
            isExpiryReported = false
        } else if !grammar.hasLogins, event.fields.contains(where: { $0.value.hasSuffix(".info/connected") }) {
            // A new listener receives the current value as its first event.
            lastStep = LoginGrammar.nothing
        }
    }

    private mutating func startLogin() {
        (ending, lastStep, isAttempt, isLoggingOut, isLoggedOut) = (nil, LoginGrammar.login, true, false, false)
        openFindings = [:]
    }

    /// The name that a call and its result have in common. For a login, a result has the name of the kind of login, and
    /// the call may have another name.
    private static func callName(_ name: String) -> String { isLogin(name) ? LoginGrammar.login : name }

    private mutating func takeReturn(_ event: LoggedEvent) -> LogFault? {
        let code = event.resultCode
        let isSuccess = code == "0" || code == "200"
        let second = completion(event)
        if Self.isLogin(event.name) {
            if second == nil { takeLoginResult(isSuccess: isSuccess, code: code, event.line) }
            if isSuccess, let ending, second == nil {
                return fault(
                    after: ending, .login, "a login returns \(code) after \(ending.text)", ["C-1", "C-3"], true)
            }
        } else if event.name == "logout", isSuccess || !grammar.logoutCanFail {
            isLoggingOut = false
            isAttempt = false
            isLoggedOut = true
            if second == nil, ending == nil {
                ending = Ending(kind: .logout, line: event.line)
                openFindings = [:]
            }
        }
        return second
    }

    private mutating func takeLoginResult(isSuccess: Bool, code: String, _ line: Int) {
        guard isAttempt, !LoginGrammar.refusedCodes.contains(code) else { return }
        if ending == nil || !isSuccess { isAttempt = false }
        if !isSuccess, ending == nil {
            ending = Ending(kind: .failure, line: line)
            openFindings = [:]
        }
    }

    /// Checks that each call has one result (C-1).
    private mutating func completion(_ event: LoggedEvent) -> LogFault? {
        let name = Self.callName(event.name)
        let problem = "'\(event.name)' has a second result, or a result without a call"
        let fault = LogFault(
            group: nil, problem: problem, rules: ["C-1"], allowed: ["one result for each call"])
        if let id = event.fields.first(where: { $0.name == "id" })?.value {
            if returnedIDs.contains(id) { return fault }
            // The last 128 ids are sufficient, because fewer calls are pending at the same time.
            if returnedIDs.count >= 256 { returnedIDs.removeFirst(128) }
            returnedIDs.append(id)
        }
        guard isComplete || loggedCalls.contains(where: { Self.callName($0) == name }) else { return nil }
        let count = openCalls[name] ?? (hasProcessStart ? 0 : 1)
        guard count > 0 else { return fault }
        openCalls[name] = count - 1
        return nil
    }

    /// Checks, at the next login, that each call of the previous one has a result. The end of a login completes its
    /// calls (C-1).
    private mutating func missingResult(before event: LoggedEvent) -> LogFault? {
        guard grammar.hasLogins, Self.isLogin(event.name), ending != nil,
            let name = openCalls.filter({ $0.value > 0 }).keys.min()
        else { return nil }
        openCalls = [:]
        return LogFault(
            group: nil, problem: "a call '\(name)' before it has no result", rules: ["C-1"],
            allowed: ["one result for each call"])
    }

    // MARK: Callbacks and frames

    private mutating func take(_ step: LoginGrammar.Step, _ event: LoggedEvent) -> LogFault? {
        if step.role == .logout {
            defer { end(.logout, event.line, step) }
            guard hasLoginCalls, !isLoggingOut, lastStep != nil else { return nil }
            return orderFault(step, ["C-4", grammar.orderRule])
        }
        if ending != nil || lastStep == LoginGrammar.nothing,
            step.predecessors.contains(LoginGrammar.login), !hasLoginCalls
        {
            startLogin()
        }
        if let ending {
            if step.role == .kick || step.role == .tokenExpired {
                return fault(after: ending, .ending, "a login ends again after \(ending.text)", [])
            }
            return fault(after: ending, .login, "a login continues after \(ending.text)", ["C-3"])
        }
        defer { follow(step, event) }
        // In the SDK's own log, a failed attempt has the same line as a lost connection, with a field `reason`.
        let isInternal = grammar.stepsWithReason.contains(step.id) && event.fields.contains { $0.name == "reason" }
        guard let lastStep, !step.predecessors.contains(lastStep), !isLoggingOut, !isInternal else { return nil }
        return orderFault(step, lastStep == LoginGrammar.nothing ? ["C-4", grammar.orderRule] : [grammar.orderRule])
    }

    private mutating func follow(_ step: LoginGrammar.Step, _ event: LoggedEvent) {
        switch step.role {
        case .progress, .failedAttempt: lastStep = step.id
        case .failed: end(.failure, event.line, step)
        case .kick: end(.kick, event.line, step)
        case .tokenExpired: end(.token, event.line, step)
        case .logout: end(.logout, event.line, step)
        }
    }

    private mutating func end(_ kind: Ending.Kind, _ line: Int, _ step: LoginGrammar.Step) {
        lastStep = step.id
        ending = Ending(kind: kind, line: line)
        openFindings = [:]
    }

    /// Checks a callback that is not a step of a login, such as a message, a change of data, or a token that will
    /// expire.
    private mutating func takeOther(_ event: LoggedEvent) -> LogFault? {
        if event.name == "rtmKitTokenDidExpire" {
            defer { isExpiryReported = true }
            if isExpiryReported, ending == nil {
                return LogFault(
                    group: nil, problem: "the end of the same token is announced twice",
                    rules: ["RTM-5"], allowed: allowedCallbacks)
            }
        }
        guard grammar.hasLogins else { return nil }
        if let ending, ending.kind != .failure {
            return fault(after: ending, .callbacks, "a callback comes after \(ending.text)", [])
        }
        guard lastStep == LoginGrammar.nothing, hasLoginCalls, event.name != "autoLoginDidCompleteWithError" else {
            return nil
        }
        return LogFault(
            group: nil, problem: "a callback comes before the first login", rules: ["C-4"],
            allowed: ["call login"])
    }

    private mutating func takeFrame(_ event: LoggedEvent) -> LogFault? {
        guard let ending, grammar.hasLogins, !isAttempt || ending.kind != .failure else { return nil }
        // After the end of a login, a frame in flight may still arrive. The client ignores it (C-3).
        guard event.direction == "out" || openFindings[.frames] != nil else { return nil }
        return fault(after: ending, .frames, "frames are exchanged after \(ending.text)", ["C-3"])
    }

    // MARK: Findings

    private func fault(
        after ending: Ending, _ group: LogFault.Group, _ problem: String, _ rules: [String],
        _ isLoginSuccess: Bool = false
    ) -> LogFault {
        let own: [String] =
            switch ending.kind {
            case .kick: isLoggedOut ? ["C-4"] + grammar.kickRules : grammar.kickRules
            case .logout: ["C-4"]
            case .token: ["C-4", grammar.tokenRule]
            case .failure: ["C-4", grammar.orderRule]
            }
        var allowed = ["call login"]
        if grammar.kickedNeedsLogout, ending.kind == .kick { allowed = ["call logout"] }
        if isLoggingOut { allowed.append("result logout") }
        if isAttempt { allowed.append("result login with an error") }
        return LogFault(
            group: group, problem: problem, rules: rules + own, allowed: allowed, isLoginSuccess: isLoginSuccess)
    }

    private func orderFault(_ step: LoginGrammar.Step, _ rules: [String]) -> LogFault {
        let before =
            switch lastStep {
            case LoginGrammar.nothing: "without a login"
            case LoginGrammar.login: "directly after the call of a login"
            default:
                grammar.steps.first { $0.id == lastStep }.map { "directly after '\($0.text)'" } ?? "here"
            }
        return LogFault(
            group: nil, problem: "'\(step.text)' comes \(before)", rules: rules, allowed: allowedCallbacks)
    }

    private var allowedCallbacks: [String] {
        guard let lastStep else { return [] }
        if lastStep == LoginGrammar.nothing, grammar.hasLogins { return ["call login"] }
        return grammar.steps.filter { $0.predecessors.contains(lastStep) }.map(\.text)
            + (isLoggingOut ? ["result logout"] : [])
    }
}
