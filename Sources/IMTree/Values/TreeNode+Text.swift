extension TreeNode: CustomStringConvertible {
    /// As JSON, with a priority under its own key. Keys that fill more than half of the indices from 0 become an array.
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
    /// The children by their indices, empty for a missing one; nil if they are not an array.
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
    /// As JSON; the paths of an update are the names of its members.
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
    /// As JSON.
    public var description: String {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        // A whole number is written without a fraction; a double holds whole numbers exactly up to 2^53.
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
