import Foundation
import IMClient
import IMProtocol
import IMTree

// Converts between the app's values and those of the tree.

/// A value that no tree can hold.
struct NoTreeValue: Error {
    let text: String
}

extension TreeNode {
    /// A value that an app writes: nothing, `NSNull`, a boolean, a number, a text, a list or a dictionary with texts as
    /// keys. In a dictionary `.priority`, `.value` and `.sv` mean the same as in an export.
    init(_ value: Any?) throws(NoTreeValue) {
        self = try Self.node(value, depth: 0)
    }

    private static func node(_ value: Any?, depth: Int) throws(NoTreeValue) -> TreeNode {
        guard depth <= TreeLimits.depthMax + 1 else { throw NoTreeValue(text: "a value deeper than the tree is") }
        guard let value = value.flatMap(unwrapped), !(value is NSNull) else { return .empty }
        if let leaf = TreeLeaf(value) { return TreeNode(leaf) }
        if let list = value as? [Any] {
            return try node(list.enumerated().map { (String($0.offset), $0.element) }, depth)
        }
        guard let members = value as? [AnyHashable: Any] else {
            throw NoTreeValue(text: "a value of the type \(type(of: value))")
        }
        var children: [(String, Any)] = []
        for (key, member) in members {
            guard let key = key.base as? String else { throw NoTreeValue(text: "a key that is no text") }
            children.append((key, member))
        }
        return try node(ofMembers: children, depth)
    }

    private static func node(ofMembers members: [(String, Any)], _ depth: Int) throws(NoTreeValue) -> TreeNode {
        func member(_ name: String) -> Any? { members.first { $0.0 == name }?.1 }
        if member(".sv") != nil {
            guard members.count == 1, member(".sv") as? String == "timestamp" else {
                throw NoTreeValue(text: "a server value that is not the timestamp")
            }
            return TreeNode(.serverTimestamp)
        }
        let priority = try TreeLeaf(priority: member(".priority"))
        if let value = member(".value") { return try node(value, depth: depth + 1).with(priority: priority) }
        return try node(members.filter { $0.0 != ".priority" }, depth).with(priority: priority)
    }

    private static func node(_ pairs: [(String, Any)], _ depth: Int) throws(NoTreeValue) -> TreeNode {
        var children: [(key: TreeKey, value: TreeNode)] = []
        // Sorted: a dictionary has another order in each run, and only the first error is reported.
        for (name, value) in pairs.sorted(by: { $0.0 < $1.0 }) {
            let key = TreeKey(name)
            guard key.isAllowed else { throw NoTreeValue(text: "the key '\(name)'") }
            let child = try node(value, depth: depth + 1)
            if !child.isEmpty { children.append((key, child)) }
        }
        return TreeNode(SortedMap(ascending: children.sorted { $0.key < $1.key }))
    }

    /// The value that an app reads: nothing, a boolean or a number as `NSNumber`, a text, a list if more than half of
    /// the indexes from 0 on are taken, otherwise a dictionary.
    ///
    /// - Parameter isExport: true to include priorities, so that it can be written back.
    func value(isExport: Bool) -> Any? {
        guard let value = plainValue(isExport: isExport) else { return nil }
        guard isExport, let priority else { return value }
        if isLeaf { return [".value": value, ".priority": priority.value] as [String: Any] }
        var members: [String: Any] = [".priority": priority.value]
        for (key, child) in children { members[key.text] = child.value(isExport: true) }
        return members
    }

    private func plainValue(isExport: Bool) -> Any? {
        if isEmpty { return nil }
        if let leaf { return leaf.value }
        if let last = children.last?.key.arrayIndex, last < 2 * children.count,
            children.allSatisfy({ $0.key.arrayIndex != nil })
        {
            var list = [Any](repeating: NSNull(), count: last + 1)
            for (key, child) in children {
                if let index = key.arrayIndex, let value = child.value(isExport: isExport) { list[index] = value }
            }
            return list
        }
        var members: [String: Any] = [:]
        for (key, child) in children { members[key.text] = child.value(isExport: isExport) }
        return members
    }
}

extension TreeLeaf {
    /// Nil for a value that is no leaf.
    fileprivate init?(_ value: Any) {
        // Checks the Swift type first: Foundation takes booleans for numbers, and numbers for booleans.
        if type(of: value) == Bool.self, let flag = value as? Bool {
            self = .bool(flag)
        } else if let number = value as? any BinaryInteger {
            self = .number(Double(number))
        } else if let number = value as? any BinaryFloatingPoint {
            self = .number(Double(number))
        } else if let text = value as? String {
            self = .text(text)
        } else if let number = value as? NSNumber {
            self = number.isBoolean ? .bool(number.boolValue) : .number(number.doubleValue)
        } else {
            return nil
        }
    }

    /// The priority of a node among its siblings: a number, a text or the server's time; nil for nothing.
    init?(priority value: Any?) throws(NoTreeValue) {
        let node = try TreeNode(value)
        guard !node.isEmpty else { return nil }
        switch node.leaf {
        case .number, .text, .serverTimestamp: break
        case .bool, nil: throw NoTreeValue(text: "a priority that is neither a number nor a text")
        }
        guard let leaf = node.leaf else { return nil }
        self = leaf
    }

    /// The value that an app reads.
    var value: Any {
        switch self {
        case .bool(let flag): NSNumber(value: flag)
        case .number(let number): Int64(exactly: number).map { NSNumber(value: $0) } ?? NSNumber(value: number)
        case .text(let text): text
        case .serverTimestamp: WDGServerValue.timestamp()
        }
    }
}

extension TreeUpdate {
    /// Values that an app writes at several paths at once; keys may lead deeper, with `/` between.
    init(_ values: [AnyHashable: Any]) throws(NoTreeValue) {
        var parts: [TreeWrite.Part] = []
        // Sorted: a dictionary has another order in each run.
        let names = values.keys.map { ($0, $0.base as? String) }.sorted { $0.1 ?? "" < $1.1 ?? "" }
        for (key, name) in names {
            guard let name, let value = values[key] else { throw NoTreeValue(text: "a key that is no text") }
            let keys = [TreeKey](path: name)
            guard keys.last != .priority else {
                let priority = try TreeLeaf(priority: value)
                parts.append(TreeWrite.Part(keys, priority.map { TreeNode($0) } ?? .empty))
                continue
            }
            guard !keys.isEmpty, keys.allSatisfy(\.isAllowed) else { throw NoTreeValue(text: "the key '\(name)'") }
            parts.append(TreeWrite.Part(keys, try TreeNode(value)))
        }
        self.init(parts.sorted { $0.keys.lexicographicallyPrecedes($1.keys) })
    }
}

extension [TreeKey] {
    /// Keys with `/` between. Several `/` count as one; those at the ends are ignored.
    init(path: String) { self = [TreeKey](joined: path).filter { !$0.text.isEmpty } }
}

extension TreeNode {
    /// Parses a command's answer, which is an export as JSON.
    init(answer json: String) {
        let value = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        self = (try? TreeNode(value)) ?? .empty
    }

    /// The node in the syntax of a transaction's expression. It has no lists, and a leaf's value comes before its
    /// priority.
    var expression: String {
        let priority = priority.map { "\(quoted(".priority")):\($0.expression)" }
        if let leaf {
            return priority.map { "{\(quoted(".value")):\(leaf.expression),\($0)}" } ?? leaf.expression
        }
        guard !isEmpty else { return "null" }
        let members = children.map { "\(quoted($0.key.text)):\($0.value.expression)" } + (priority.map { [$0] } ?? [])
        return "{\(members.joined(separator: ","))}"
    }
}

extension TreeLeaf {
    fileprivate var expression: String {
        switch self {
        case .bool, .number: description
        case .text(let text): quoted(text)
        case .serverTimestamp: "timestamp"
        }
    }
}

/// A text in the syntax of an expression: two characters are escaped.
private func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted += "\\" }
        quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
}

/// Unwraps an optional that was converted to an `Any`.
private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.content.flatMap(unwrapped)
}

private protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var content: Any? { self }
}

extension NSNumber {
    /// Foundation stores booleans as numbers; their type encoding distinguishes them.
    fileprivate var isBoolean: Bool { String(cString: objCType) == String(cString: NSNumber(value: true).objCType) }
}
