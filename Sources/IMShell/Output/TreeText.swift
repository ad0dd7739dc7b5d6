import Foundation
import IMClient
import IMProtocol
import IMTree

/// Converts the typed arguments of the `sync` commands to commands for the client.
enum TreeText {
    static func command(_ action: TreeAction, at typed: String) throws -> TreeCommand {
        let path = path(typed)
        switch action {
        case .set(let text, let priority): return .set(path: path, try node(text, priority: priority))
        case .update(let text): return .update(path: path, try update(text))
        case .remove: return .set(path: path, .empty)
        case .push(let text, let priority): return .push(path: path, try node(text, priority: priority))
        case .priority(let text):
            return .set(path: path.isEmpty ? ".priority" : path + "/.priority", try self.priority(text))
        case .get(let options): return .get(path: path, options.isEmpty ? nil : try query(options))
        case .on(let options, let events):
            let isPlain = options.isEmpty && events.isEmpty
            return .listen(path: path, isPlain ? nil : TreeListening(try query(options), kinds: try kinds(events)))
        case .off(let options): return .unlisten(path: path, options.isEmpty ? nil : try query(options))
        case .transaction(let text, let isHidden):
            do {
                return .transaction(path: path, try TransactionExpression(text), isHidden: isHidden)
            } catch {
                throw CommandFailure(error.message)
            }
        case .outline: return .outline(path: path)
        case .keep(let options, let isOn):
            return .keep(path: path, options.isEmpty ? nil : try query(options), isOn: isOn)
        case .persistence(let isOn, let bytes):
            return .persistence(bytesMax: isOn ? bytes ?? TreeClient.storageBytesMax : nil)
        case .onDisconnectSet(let text): return .onDisconnect(path: path, node(text))
        case .onDisconnectUpdate(let text): return .onDisconnectUpdate(path: path, try update(text))
        case .onDisconnectRemove: return .onDisconnect(path: path, .empty)
        case .onDisconnectCancel: return .cancelOnDisconnect(path: path)
        }
    }

    private static func kinds(_ names: [String]) throws -> [TreeEventKind] {
        guard !names.isEmpty else { return [.value] }
        return try names.map { name in
            guard let kind = TreeEventKind.allCases.first(where: { $0.name == name }) else {
                let all = TreeEventKind.allCases.map(\.name).joined(separator: ", ")
                throw CommandFailure("there is no event '\(name)'; use one of: \(all)")
            }
            return kind
        }
    }

    static func query(_ options: TreeQueryArguments) throws -> TreeQuery {
        var query = TreeQuery()
        switch options.order {
        case nil, "priority"?: query.order = .priority
        case "key"?: query.order = .key
        case "value"?: query.order = .value
        case let order? where order.hasPrefix("child="):
            let keys = path(String(order.dropFirst("child=".count))).split(
                separator: "/", omittingEmptySubsequences: false
            )
            .map { TreeKey(String($0)) }
            guard keys.allSatisfy(\.isAllowed) else {
                throw CommandFailure("'\(order)' has no child path; --order-by child=PATH takes keys joined by '/'")
            }
            query.order = .child(keys)
        case let order?:
            throw CommandFailure("invalid order '\(order)'; use key, value, priority or child=PATH")
        }
        guard options.first == nil || options.last == nil else {
            throw CommandFailure("--first and --last exclude each other")
        }
        if let count = options.first ?? options.last {
            // A count that is too large is not rejected here: the client then rejects it with the vendor's code 26103.
            guard count > 0 else {
                throw CommandFailure("a query gives from 1 to \(TreeLimits.queryCountMax) children, not \(count)")
            }
            query.limit = .init(options.first == nil ? .last : .first, count)
        }
        guard options.equal == nil || options.from == nil && options.to == nil else {
            throw CommandFailure("--equal excludes --from and --to")
        }
        query.start = try (options.equal ?? options.from).map { try bound($0, query.order) }
        query.end = try (options.equal ?? options.to).map { try bound($0, query.order) }
        return query
    }

    /// Parses a bound of a query: a value, or a value, a comma and a key.
    private static func bound(_ text: String, _ order: TreeOrder) throws -> TreeQuery.Bound {
        if order == .key {
            let key = TreeKey(node(text).leaf.flatMap { if case .text(let text) = $0 { text } else { nil } } ?? text)
            guard key.isAllowed else { throw CommandFailure("'\(text)' is not a key") }
            return TreeQuery.Bound(.text(key.text))
        }
        if let node = json(text) { return TreeQuery.Bound(try leaf(node, text)) }
        guard let comma = text.lastIndex(of: ",") else { return TreeQuery.Bound(.text(text)) }
        let key = TreeKey(String(text[text.index(after: comma)...]))
        guard key.isAllowed else { throw CommandFailure("'\(key)' is not a key") }
        return TreeQuery.Bound(try leaf(node(String(text[..<comma])), text), key: key)
    }

    private static func leaf(_ node: TreeNode, _ text: String) throws -> TreeLeaf? {
        guard node.isEmpty || node.isLeaf, node.priority == nil, node.leaf != .serverTimestamp else {
            throw CommandFailure("invalid value '\(text)': use true, false, a number, a text or null")
        }
        return node.leaf
    }

    private static func node(_ text: String, priority: String?) throws -> TreeNode {
        guard let priority else { return node(text) }
        return node(text).with(priority: try self.priority(priority).leaf)
    }

    private static func priority(_ text: String) throws -> TreeNode {
        let node = node(text)
        let isBool = if case .bool? = node.leaf { true } else { false }
        guard node.isEmpty || node.isLeaf, node.priority == nil, !isBool else {
            throw CommandFailure("invalid priority '\(text)': use a number, a text, or null for none")
        }
        return node
    }

    /// Parses who may read or write: `all`, `none`, or names separated by commas.
    static func audience(_ text: String) throws -> TreeAudience {
        switch text {
        case "all": return .everybody
        case "none": return .nobody
        default:
            let users = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard users.allSatisfy(ProtocolLimit.isName) else {
                throw CommandFailure("invalid users '\(text)': use all, none, or names separated by commas")
            }
            return .users(user: users)
        }
    }

    /// The path without slashes at both ends; the client checks the keys. Bytes are compared and not characters: a
    /// slash with a combining mark is a different `Character`, but its key is still invalid.
    static func path(_ typed: String) -> String {
        var bytes = typed.utf8[...]
        let slash = UInt8(ascii: "/")
        while bytes.first == slash { bytes.removeFirst() }
        while bytes.last == slash { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of a typed text: parsed as JSON if possible, otherwise the text itself, so that `sync set a/b hello`
    /// needs no JSON quotes.
    static func node(_ text: String) -> TreeNode { json(text) ?? TreeNode(.text(text)) }

    private static func json(_ text: String) -> TreeNode? { object(text).map { node(of: $0, 0) } }

    private static func object(_ json: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    /// Parses the children of an update. Null is a valid value: it removes the child.
    private static func update(_ text: String) throws -> TreeUpdate {
        guard let object = object(text) as? [String: Any] else {
            throw CommandFailure(
                "an update takes children, for example: sync update users/alice '{\"mood\": \"fine\"}'")
        }
        let parts = object.map { name, value in
            TreeWrite.Part([TreeKey](joined: path(name)), node(of: value, 0))
        }
        return TreeUpdate(parts.sorted { $0.keys.lexicographicallyPrecedes($1.keys) })
    }

    /// Converts a JSON value to a tree. Values below the maximum depth become placeholders; the client then rejects the
    /// write because its path is too deep.
    private static func node(of json: Any, _ depth: Int) -> TreeNode {
        guard depth <= TreeLimits.depthMax + 1 else { return TreeNode(.bool(true)) }
        switch json {
        case let number as NSNumber:
            return TreeNode(isBoolean(number) ? .bool(number.boolValue) : .number(number.doubleValue))
        case let text as String: return TreeNode(.text(text))
        // A list becomes a node whose children have their indexes as keys, as in the vendor's SDK.
        case let list as [Any]: return node(list.enumerated().map { (String($0.offset), $0.element) }, depth)
        case let object as [String: Any]:
            if object.count == 1, object[".sv"] as? String == "timestamp" { return TreeNode(.serverTimestamp) }
            let priority = object[".priority"].map { node(of: $0, depth + 1).leaf } ?? nil
            if let value = object[".value"] { return node(of: value, depth + 1).with(priority: priority) }
            return node(object.filter { $0.key != ".priority" }.map { ($0.key, $0.value) }, depth).with(
                priority: priority)
        default: return .empty
        }
    }

    private static func node(_ pairs: [(String, Any)], _ depth: Int) -> TreeNode {
        let children = pairs.map { (key: TreeKey($0.0), value: node(of: $0.1, depth + 1)) }
            .filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        return TreeNode(SortedMap(ascending: children))
    }

    /// Foundation stores JSON booleans as numbers. Their type encoding (`objCType`) differs from that of other numbers.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == String(cString: NSNumber(value: true).objCType)
    }
}
