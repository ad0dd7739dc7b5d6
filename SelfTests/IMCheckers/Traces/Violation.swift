/// A broken rule, and the node and event at which a checker detected it.
public struct Violation: Hashable, Sendable, Codable {
    /// The checker that detected the violation.
    public var checker: CheckerName
    /// The rule, such as `C-6`.
    public var rule: String
    /// A description that is the same for all violations of this kind, without names, numbers and times.
    public var kind: String
    /// The description with names, numbers and times.
    public var text: String
    /// The node of the event; empty if the violation concerns no single node.
    public var node: String
    /// The number of events so far, including the one that broke the rule.
    public var event: Int

    /// A key that violations with the same cause usually share.
    public var group: String { "\(checker.rawValue) \(rule): \(kind)" }

    package init(_ checker: CheckerName, _ rule: String, _ kind: String, _ detail: String = "") {
        self.checker = checker
        self.rule = rule
        self.kind = kind
        text = detail.isEmpty ? kind : "\(kind): \(detail)"
        node = ""
        event = 0
    }
}

/// The checkers. Each checker is an independent model of the rules that it checks.
public enum CheckerName: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each command completes once, within its time limit (C-1).
    case commands
    /// A client has one connection at a time, and no events follow a logout or a kick (C-2 to C-5).
    case links
    /// Retries have exactly the policy's delays, and no retry is missing (C-9).
    case retries
    /// Heartbeats are sent, and silent connections are closed (C-12).
    case heartbeats
    /// Local data is open only for the logged-in user (C-13).
    case localData = "local-data"
    /// Tokens expire at the right time, with a warning (C-10, ZIM-6).
    case tokens
    /// Logins that the server must refuse are refused (NIM-4, NIM-8, ZIM-1).
    case logins
    /// A login ends the right other logins, and their devices are notified (C-5 to C-8).
    case kicks
    /// The policy limits the simultaneous logins of a user (NIM-11, ZIM-7, CHAT-2).
    case places
    /// Each message arrives once, at the correct receiver, with the correct sender (C-14).
    case messages
    /// The state follows from the requests of the apps and the operator that were granted.
    case intent
    /// Client and server agree about their shared state (C-15).
    case agreement
    /// The app is notified correctly about other users (ZIM-5, P8).
    case presence
    /// Data that was written into the tree is stored once (SYNC-2, SYNC-4, SYNC-5).
    case tree
    /// The simulated network does what the scenario requested.
    case network
    /// All clients on a working network are online or in a final state (P4).
    case progress
    /// No connection, timer or data is left after all clients have logged out (C-4).
    case leftovers
    /// Recordings can be replayed, searched, exported and redacted.
    case recorder
    /// Metamorphic checks: a change of a scenario that must not affect the result does not affect it.
    case pairs
    /// Reports a violation on purpose, to detect a search that never reports one.
    case canary
}

extension [Violation] {
    mutating func add(_ checker: CheckerName, _ rule: String, _ kind: String, _ detail: String = "") {
        append(Violation(checker, rule, kind, detail))
    }
}
