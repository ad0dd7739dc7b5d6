/// What stands at a place of the synchronised tree: nothing, a leaf, or children in the order of their keys.
public indirect enum TreeValue: Hashable, Sendable, Codable {
    /// Nothing stands there; what is put in a place as null is removed.
    case null
    case bool(Bool)
    /// IEEE 754, as the vendor has it.
    case number(Double)
    case text(String)
    /// Sorted by key, none of them null.
    case children([TreeChild])

    /// The value as JSON.
    public var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number):
            // A whole number is written as one; a double holds whole numbers exactly up to 2^53.
            if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { String(whole) } else { "\(number)" }
        case .text(let text): TreeValue.quoted(text)
        case .children(let children):
            "{" + children.map { "\(TreeValue.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}

/// A key, and what stands below it.
public struct TreeChild: Hashable, Sendable, Codable {
    /// Unique among the children of one value.
    public var key: String
    /// What stands there; not null in a value that a tree holds.
    public var value: TreeValue

    /// A child; nothing is checked, see ``TreeValue/isTidy``.
    public init(_ key: String, _ value: TreeValue) {
        self.key = key
        self.value = value
    }
}

/// A request about the tree. Paths are keys joined by `/`, without one at either end; empty is the root.
public enum TreeRequest: Hashable, Sendable, Codable {
    /// Puts a value there; null removes what is there.
    case set(path: String, TreeValue)
    /// Sets some children and leaves the others.
    case update(path: String, TreeValue)
    /// What stands there now.
    case get(path: String)
    /// What stands there now and, from then on, whenever it has changed.
    case listen(path: String)
    /// Ends the listening that was asked for at the path.
    case unlisten(path: String)
    /// To be done by the server when this connection ends, however it ends (SYNC-6).
    case onDisconnect(path: String, TreeValue, merges: Bool)
    /// Takes back what was registered at the path.
    case cancelOnDisconnect(path: String)

    /// The place that it is about, as it was asked for; nothing is checked.
    public var path: String {
        switch self {
        case .set(let path, _), .update(let path, _), .get(let path), .listen(let path), .unlisten(let path),
            .onDisconnect(let path, _, _), .cancelOnDisconnect(let path):
            path
        }
    }

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .set: "set"
        case .update: "update"
        case .get: "get"
        case .listen: "on"
        case .unlisten: "off"
        case .onDisconnect: "on-disconnect"
        case .cancelOnDisconnect: "on-disconnect-cancel"
        }
    }
}
