extension TreeNode: CustomStringConvertible {
    /// The node as JSON. A priority is written under the key `.priority`. If the keys fill more than half of the
    /// indices from 0, the children are written as an array.
    public var description: String {
        let priority = priority.map { "\(quoted(".priority")):\($0)" }
        if let leaf { return priority.map { "{\(quoted(".value")):\(leaf),\($0)}" } ?? leaf.description }
        guard !isEmpty else { return "null" }
        if priority == nil, let array { return "[\(array.map(\.description).joined(separator: ","))]" }
        let members = children.map { "\(quoted($0.key.text)):\($0.value)" } + (priority.map { [$0] } ?? [])
        return "{\(members.joined(separator: ","))}"
    }
}

extension TreeNode {
    /// The children as an array, in which missing children are empty nodes; nil if a key is no index, or too many are
    /// missing.
    private var array: [TreeNode]? {
        guard let last = children.last?.key.arrayIndex, last < 2 * children.count else { return nil }
        var array = [TreeNode](repeating: .empty, count: last + 1)
        for (key, child) in children {
            guard let index = key.arrayIndex else { return nil }
            array[index] = child
        }
        return array
    }
}

extension TreeWrite.Change: CustomStringConvertible {
    /// The change as JSON. The member names of an update are paths.
    public var description: String {
        switch self {
        case .set(let node): return node.description
        case .update(let parts):
            let members = parts.map { part in
                "\(quoted(part.keys.joined)):\(part.node)"
            }
            return "{\(members.joined(separator: ","))}"
        }
    }
}

extension TreeLeaf: CustomStringConvertible {
    /// The value as JSON.
    public var description: String {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        // A whole number is written without a fraction, up to 2^53: a double does not represent all larger ones.
        case .number(let number):
            if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { String(whole) } else { "\(number)" }
        case .text(let text): quoted(text)
        case .serverTimestamp: "{\(quoted(".sv")):\(quoted("timestamp"))}"
        }
    }
}

private func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case "\n": quoted += "\\n"
        case "\r": quoted += "\\r"
        case "\t": quoted += "\\t"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
