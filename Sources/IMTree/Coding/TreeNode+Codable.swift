// The JSON form of nodes, in keyframes and commands. In recordings of older versions, nodes have no priority.

extension TreeNode: Codable {
    private enum CodingKeys: String, CodingKey {
        case null, bool, number, text, timestamp, children, priority
    }

    /// The form of a value in JSON. In older versions a node was an enum, and `_0` the key of its associated value.
    private struct Payload<Value: Codable>: Codable {
        var _0: Value
    }

    private struct Nothing: Codable {}

    private struct Child: Codable {
        var key: TreeKey
        var value: TreeNode
    }

    /// Reads a node. Throws for a number that JSON cannot represent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let priority = try container.decodeIfPresent(TreeLeaf.self, forKey: .priority)
        func payload<Value: Codable>(_ key: CodingKeys, _: Value.Type) throws -> Value? {
            try container.decodeIfPresent(Payload<Value>.self, forKey: key)?._0
        }
        if let children = try payload(.children, [Child].self) {
            let node = children.reduce(TreeNode.empty) { $0.setting($1.key, to: $1.value) }
            self = node.with(priority: priority)
        } else if let flag = try payload(.bool, Bool.self) {
            self.init(.bool(flag), priority: priority)
        } else if let number = try payload(.number, Double.self) {
            self.init(.number(number), priority: priority)
        } else if let text = try payload(.text, String.self) {
            self.init(.text(text), priority: priority)
        } else if container.contains(.timestamp) {
            self.init(.serverTimestamp, priority: priority)
        } else {
            self = .empty
        }
    }

    /// Writes the node as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch content {
        case .empty: try container.encode(Nothing(), forKey: .null)
        case .leaf(.bool(let flag)): try container.encode(Payload(_0: flag), forKey: .bool)
        case .leaf(.number(let number)): try container.encode(Payload(_0: number), forKey: .number)
        case .leaf(.text(let text)): try container.encode(Payload(_0: text), forKey: .text)
        case .leaf(.serverTimestamp): try container.encode(Nothing(), forKey: .timestamp)
        case .children(let children):
            let all = children.map { Child(key: $0.key, value: $0.value) }
            try container.encode(Payload(_0: all), forKey: .children)
        }
        try container.encodeIfPresent(priority, forKey: .priority)
    }
}
