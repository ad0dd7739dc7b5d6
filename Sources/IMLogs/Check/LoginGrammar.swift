import IMSession

/// The visible steps of a vendor's login and their order.
///
/// Events that a log cannot show are left out: those of the network, the server and other devices. If such an event
/// causes a step, such as a lost connection, the step can follow every step at which the event can happen.
struct LoginGrammar {
    /// The meaning of a step for the login.
    enum Role {
        /// The login continues.
        case progress
        /// The attempt failed; the SDK may try again by itself.
        case failedAttempt
        /// The login has failed; the SDK does not retry.
        case failed
        case kick
        case tokenExpired
        case logout
    }

    /// A callback that is a step of the login. Several callbacks can be the same step.
    struct Step {
        var id: String
        var name: String
        var fields: [(name: String, value: String)]
        /// The ids of the steps that can directly precede this one, including ``login`` and ``nothing``.
        var predecessors: [String]
        var role: Role

        init(
            _ id: String, _ name: String, _ fields: [(String, String)] = [], after predecessors: [String],
            _ role: Role = .progress
        ) {
            (self.id, self.name, self.predecessors, self.role) = (id, name, predecessors, role)
            self.fields = fields.map { (name: $0.0, value: $0.1) }
        }

        /// The step as a log shows it: `onLogin step=1`.
        var text: String { ([name] + fields.map { "\($0.name)=\($0.value)" }).joined(separator: " ") }
    }

    /// The id of the call of a login.
    static let login = "login"
    /// The id of the start of a process.
    static let nothing = "nothing"

    /// All steps. A callback is the first step whose name and fields match.
    private(set) var steps: [Step]
    /// The rule that gives the order of the steps.
    let orderRule: String
    /// The rule for the end of a login by its token.
    let tokenRule: String
    /// The rules after a kick; C-5 is one of them.
    let kickRules: [String]
    /// The ids of the steps of an attempt to log in. An app need not log them.
    var attemptSteps: [String] = []
    /// True if a kicked client must log out before the next login (RTM-6).
    var kickedNeedsLogout = false
    /// True if a failed logout keeps the login (CHAT-11).
    var logoutCanFail = false
    /// The ids of steps whose lines in the SDK's own log are not always callbacks. Such a line has a field `reason`.
    var stepsWithReason: [String] = []
    /// True if the app logs in by a call. False for Wilddog, which connects at the first reference to the tree
    /// (SYNC-1).
    var hasLogins = true

    /// The codes of a login call that is refused because another login is running or complete (C-2). Such a call
    /// changes nothing.
    static let refusedCodes = ["16", "8", "200", "218", "6000111"]

    func step(of event: LoggedEvent) -> Step? {
        steps.first { event.has(name: $0.name, fields: $0.fields) }
    }

    /// The grammar for a log that contains only some of the steps. If a step can follow a step of an attempt that the
    /// log never contains, it can also follow the predecessors of that step.
    func assuming(onlyLogged logged: Set<String>) -> LoginGrammar {
        var grammar = self
        for index in grammar.steps.indices {
            var predecessors = grammar.steps[index].predecessors
            var next = 0
            while next < predecessors.count {
                let id = predecessors[next]
                next += 1
                guard attemptSteps.contains(id), !logged.contains(id) else { continue }
                for other in steps.filter({ $0.id == id }).flatMap(\.predecessors) where !predecessors.contains(other) {
                    predecessors.append(other)
                }
            }
            grammar.steps[index].predecessors = predecessors
        }
        return grammar
    }

    static func of(profile: String) -> LoginGrammar? {
        switch profile {
        case "nim": nim
        case "zim": zim
        case "agora-chat": chat
        case "agora-rtm": rtm
        case "wilddog": wilddog
        default: nil
        }
    }
}

// MARK: The vendors

extension LoginGrammar {
    /// The steps of NIM, by NIM-1, NIM-5, NIM-7, NIM-9 and NIM-12.
    private static var nim: LoginGrammar {
        func step(_ number: Int, after: [String], _ role: Role = .progress) -> Step {
            Step(String(number), "onLogin", [("step", String(number))], after: after, role)
        }
        let kicked = ["2", "4", "5", "7", "8", "10"]
        return LoginGrammar(
            steps: [
                step(1, after: [login, "3", "6", "9", "10"]), step(2, after: ["1"]),
                step(3, after: ["1", "2", "10"], .failedAttempt), step(4, after: ["2"]), step(5, after: ["4"]),
                step(6, after: ["4"], .failedAttempt), step(7, after: ["5"]), step(8, after: ["7"]),
                step(9, after: ["5", "7", "8", "10"]),
                step(10, after: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
                step(11, after: [], .logout),
                Step("kick", "onKick", after: kicked, .kick), Step("kick", "onKickout", after: kicked, .kick),
                Step("kick", "onKickedOffline", after: kicked, .kick),
                Step(
                    "failed", "onAutoLoginFailed", after: [login, "3", "4", "5", "6", "7", "8", "9", "10"], .failed),
            ], orderRule: "NIM-1", tokenRule: "NIM-7", kickRules: ["C-5", "NIM-7"],
            attemptSteps: (1...7).map { String($0) })
    }

    /// The steps of ZIM, by ZIM-2, ZIM-4 and ZIM-6.
    private static var zim: LoginGrammar {
        func step(_ state: Int, _ event: Int, after: [String], _ role: Role = .progress) -> Step {
            Step(
                "\(state),\(event)", "connectionStateChanged", [("state", String(state)), ("event", String(event))],
                after: after, role)
        }
        let activeSteps = ["1,1", "2,0", "3,3"]
        return LoginGrammar(
            steps: [
                step(1, 1, after: [login]), step(2, 0, after: ["1,1", "3,3"]), step(3, 3, after: ["2,0"]),
                step(0, 2, after: ["1,1", "3,3"], .failedAttempt), step(0, 3, after: ["2,0", "3,3"], .failed),
                step(0, 4, after: activeSteps, .kick), step(0, 6, after: activeSteps, .kick),
                step(0, 5, after: activeSteps, .tokenExpired), step(0, 0, after: [], .logout),
            ], orderRule: "ZIM-4", tokenRule: "ZIM-6", kickRules: ["C-5", "ZIM-4"], attemptSteps: ["1,1"])
    }

    /// The steps of Agora Chat, by CHAT-1, CHAT-2, CHAT-6 and CHAT-10.
    private static var chat: LoginGrammar {
        func end(_ name: String) -> Step { Step("kick", name, after: ["0", "1", login], .kick) }
        return LoginGrammar(
            steps: [
                Step("0", "connectionStateDidChange", [("state", "0")], after: [login, "1"]),
                Step("1", "connectionStateDidChange", [("state", "1")], after: ["0"]),
                end("userAccountDidLoginFromOtherDevice"), end("userAccountDidLoginFromOtherDeviceWithInfo"),
                end("userAccountDidForcedToLogout"), end("userAccountDidRemoveFromServer"),
                end("userDidForbidByServer"),
                Step("expired", "tokenDidExpire", after: ["0", "1", login], .tokenExpired),
            ], orderRule: "CHAT-1", tokenRule: "CHAT-10", kickRules: ["C-5"], logoutCanFail: true,
            stepsWithReason: ["1"])
    }

    /// The steps of RTM, by RTM-1 to RTM-7.
    private static var rtm: LoginGrammar {
        func step(_ state: Int, _ reason: Int, after: [String], _ role: Role = .progress) -> Step {
            Step(
                "\(state),\(reason)", "connectionStateChanged",
                [("state", String(state)), ("reason", String(reason))], after: after, role)
        }
        let activeSteps = ["2,1", "3,2", "4,5"]
        return LoginGrammar(
            steps: [
                step(2, 1, after: [login]), step(3, 2, after: ["2,1", "4,5"]), step(4, 5, after: ["3,2"]),
                step(1, 3, after: activeSteps, .failedAttempt), step(1, 4, after: activeSteps, .failedAttempt),
                step(1, 9, after: activeSteps, .tokenExpired), step(5, 7, after: activeSteps, .kick),
                step(5, 8, after: activeSteps, .kick), step(5, 9, after: activeSteps, .kick),
                step(1, 6, after: [], .logout),
            ], orderRule: "RTM-1", tokenRule: "RTM-5", kickRules: ["C-5", "RTM-6"],
            attemptSteps: ["2,1"], kickedNeedsLogout: true)
    }

    /// The steps of Wilddog, by SYNC-1 and SYNC-5.
    private static var wilddog: LoginGrammar {
        func step(_ value: String, after other: String) -> Step {
            Step(
                value, "valueChanged", [("path", ".info/connected"), ("value", value)], after: [other, nothing])
        }
        return LoginGrammar(
            steps: [step("false", after: "true"), step("true", after: "false")], orderRule: "SYNC-5", tokenRule: "C-10",
            kickRules: ["C-5"], hasLogins: false)
    }
}
