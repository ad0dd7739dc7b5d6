/// The security rules, which decide who may read and write a path. A rule applies to its path and all paths below,
/// unless a rule at a lower path replaces it. Without a rule, everyone has access. An access to a path includes all
/// paths below, so it needs permission for all of them (Wilddog's code 26101).
public struct TreeRules: Sendable, Hashable {
    private var rules = PathTree<TreeRule>()

    public init() {}

    public var isEmpty: Bool { rules.isEmpty }

    /// All rules with their paths, parents before their children.
    public var all: [(path: [TreeKey], rule: TreeRule)] {
        var all: [(path: [TreeKey], rule: TreeRule)] = []
        rules.forEach { all.append(($0, $1)) }
        return all
    }

    /// The rule that is set at exactly this path. A nil part of it is inherited from a path above.
    public subscript(path: [TreeKey]) -> TreeRule {
        get { rules[path[...]].value ?? TreeRule() }
        set { rules.change(path[...]) { $0.value = newValue == TreeRule() ? nil : newValue } }
    }

    /// True if a user may read or write a path and all paths below it.
    public func allow(_ access: TreeAccess, at path: some Collection<TreeKey>, to user: String) -> Bool {
        var (tree, isAllowed) = (rules, true)
        if let audience = tree.value?[access] { isAllowed = audience.includes(user) }
        // The rule of a node also applies to its priority.
        for key in path where key != .priority {
            guard let below = tree.children[key] else { return isAllowed }
            tree = below
            if let audience = tree.value?[access] { isAllowed = audience.includes(user) }
        }
        tree.forEach { _, rule in
            if let audience = rule[access], !audience.includes(user) { isAllowed = false }
        }
        return isAllowed
    }

    /// True if a user may make a write at a path, including all its parts.
    public func allow(_ change: TreeWrite.Change, at path: [TreeKey], to user: String) -> Bool {
        switch change {
        case .set: allow(.write, at: path, to: user)
        case .update(let parts): parts.allSatisfy { allow(.write, at: path + $0.keys, to: user) }
        }
    }
}

/// A kind of access to the tree.
public enum TreeAccess: Sendable, Hashable {
    case read
    case write
}

/// The rule that is set at one path. A nil part is inherited from a path above.
public struct TreeRule: Sendable, Hashable, Codable {
    public var read: TreeAudience?
    public var write: TreeAudience?

    public init(read: TreeAudience? = nil, write: TreeAudience? = nil) {
        self.read = read
        self.write = write
    }

    subscript(access: TreeAccess) -> TreeAudience? {
        switch access {
        case .read: read
        case .write: write
        }
    }
}

/// The users to whom a rule gives access.
public enum TreeAudience: Sendable, Hashable, Codable {
    case everybody
    case nobody
    case users(user: [String])

    func includes(_ name: String) -> Bool {
        switch self {
        case .everybody: true
        case .nobody: false
        case .users(let users): users.contains(name)
        }
    }

    /// The users as text: `all`, `none`, or names separated by commas.
    public var description: String {
        switch self {
        case .everybody: "all"
        case .nobody: "none"
        case .users(let users): users.joined(separator: ",")
        }
    }
}

extension TreeRules: Codable {
    private struct Entry: Codable {
        var keys: [TreeKey]
        var rule: TreeRule
    }

    /// Reads the rules of each path.
    public init(from decoder: any Decoder) throws {
        self.init()
        for entry in try [Entry](from: decoder) { self[entry.keys] = entry.rule }
    }

    /// Writes the rules of each path.
    public func encode(to encoder: any Encoder) throws {
        try all.map { Entry(keys: $0.path, rule: $0.rule) }.encode(to: encoder)
    }
}
