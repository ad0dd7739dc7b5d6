/// A rule that was broken, with where.
public struct Violation: Hashable, Sendable, Codable {
    /// The oracle that saw it, by its name in ``OracleName``.
    public var oracle: OracleName
    /// The rule, such as `C-6`.
    public var rule: String
    /// What is wrong, in words that are the same for all failures of its kind: without names, numbers and times.
    public var kind: String
    /// The same with its names, numbers and times.
    public var text: String
    /// The node whose event it was; empty where it is about none.
    public var node: String
    /// How many events there had been, this one among them.
    public var event: Int

    /// Failures of one kind have one cause, more often than not.
    public var group: String { "\(oracle.rawValue) \(rule): \(kind)" }

    package init(_ oracle: OracleName, _ rule: String, _ kind: String, _ detail: String = "") {
        self.oracle = oracle
        self.rule = rule
        self.kind = kind
        text = detail.isEmpty ? kind : "\(kind): \(detail)"
        node = ""
        event = 0
    }
}

/// Who looks for what. Each is a model of its own, in the file of its name.
public enum OracleName: String, Hashable, Sendable, Codable, CaseIterable {
    /// One command, one completion, within its time limit (C-1).
    case commands
    /// One link, fenced; silence after a logout and a kick (C-2 to C-5).
    case links
    /// Backoff exactly by policy, and a retry where one is due (C-9).
    case retries
    /// Heartbeats and the end of silent links (C-12).
    case heartbeats
    /// Local data is the logged-in user's (C-13).
    case localData = "local-data"
    /// When tokens end (C-10, ZIM-6).
    case tokens
    /// Which logins may not be (NIM-4, NIM-8, ZIM-1).
    case logins
    /// Whom a login ends, and whether they learn of it (C-5 to C-8).
    case kicks
    /// Logins beside each other, by the policy (NIM-11, ZIM-7, CHAT-2).
    case places
    /// Each message once, to whom it is for, from who sent it (C-14).
    case messages
    /// What the server and its clients believe of each other (C-15).
    case agreement
    /// What apps are told of other users (ZIM-5, P8).
    case presence
    /// What apps are told is said in their vendor's words and numbers (C-16).
    case words
    /// What was written into the tree is there, once (SYNC-2, SYNC-4, SYNC-5).
    case tree
    /// The simulated network does what was asked of it.
    case network
    /// Everybody is online or in a declared end when the network is whole (P4).
    case progress
    /// Nothing is left when everybody has logged out (C-4).
    case leftovers
    /// What was recorded can be replayed, searched, exported and redacted.
    case recorder
    /// What must make no difference makes none.
    case pairs
    /// Fails on purpose, so that a search that never fails is noticed.
    case canary
}
