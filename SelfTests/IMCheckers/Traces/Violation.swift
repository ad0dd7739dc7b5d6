/// A broken rule, and where it was found.
public struct Violation: Hashable, Sendable, Codable {
    /// The checker that found it.
    public var checker: CheckerName
    /// The rule, such as `C-6`.
    public var rule: String
    /// A description that is the same for all violations of this kind, without names, numbers and times.
    public var kind: String
    /// The description with names, numbers and times.
    public var text: String
    /// The node of the event; empty if no node is concerned.
    public var node: String
    /// The number of events so far, including the one that broke the rule.
    public var event: Int

    /// Violations with the same group usually have the same cause.
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

/// The checkers. Each is an independent model.
public enum CheckerName: String, Hashable, Sendable, Codable, CaseIterable {
    /// One command, one completion, within its time limit (C-1).
    case commands
    /// One connection at a time; no events after a logout and a kick (C-2 to C-5).
    case links
    /// Retry delays exactly by policy, and a retry when one is due (C-9).
    case retries
    /// Heartbeats and the end of silent connections (C-12).
    case heartbeats
    /// Local data belongs to the logged-in user (C-13).
    case localData = "local-data"
    /// The expiry of tokens (C-10, ZIM-6).
    case tokens
    /// Logins that must be refused (NIM-4, NIM-8, ZIM-1).
    case logins
    /// The logins that another login ends, and the notification of their devices (C-5 to C-8).
    case kicks
    /// Simultaneous logins, by the policy (NIM-11, ZIM-7, CHAT-2).
    case places
    /// Each message once, for the correct receiver, from the correct sender (C-14).
    case messages
    /// What apps and the operator requested and were granted still holds.
    case intent
    /// The state of the server and its clients agrees (C-15).
    case agreement
    /// Notifications about other users (ZIM-5, P8).
    case presence
    /// Data written into the tree is present, once (SYNC-2, SYNC-4, SYNC-5).
    case tree
    /// The simulated network does what was requested.
    case network
    /// All clients on a working network are online or in a final state (P4).
    case progress
    /// Nothing is left after all have logged out (C-4).
    case leftovers
    /// Recordings can be replayed, searched, exported and redacted.
    case recorder
    /// Metamorphic checks: changes that must not make a difference make none.
    case pairs
    /// Reports a violation on purpose, to detect a search that never finds one.
    case canary
}

extension [Violation] {
    mutating func add(_ checker: CheckerName, _ rule: String, _ kind: String, _ detail: String = "") {
        append(Violation(checker, rule, kind, detail))
    }
}
