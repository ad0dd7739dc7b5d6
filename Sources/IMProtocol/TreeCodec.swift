import IMTree
import SwiftProtobuf

// Converts tree requests and events to and from the types that the protobuf compiler generated.

extension TreeNode {
    /// The maximum depth of a value. A deeper value is refused, because decoding it recursively could overflow the
    /// stack.
    private static let depthMax = TreeLimits.depthMax

    init(_ wire: WireTreeValue) throws(FrameError) { try self.init(wire, depth: 0) }

    private init(_ wire: WireTreeValue, depth: Int) throws(FrameError) {
        guard depth <= Self.depthMax else { throw .invalidField("value") }
        let priority = wire.hasPriority ? try TreeLeaf(wire.priority) : nil
        guard case .children(let list)? = wire.kind else {
            self = wire.kind == nil ? .empty : TreeNode(try TreeLeaf(wire), priority: priority)
            return
        }
        var children: [(key: TreeKey, value: TreeNode)] = []
        children.reserveCapacity(list.children.count)
        for child in list.children {
            let key = TreeKey(child.key)
            guard key.isAllowed else { throw .invalidField("value") }
            let node = try TreeNode(child.value, depth: depth + 1)
            if !node.isEmpty { children.append((key, node)) }
        }
        // Older versions sent children in another order.
        children.sort { $0.key < $1.key }
        for (one, next) in zip(children, children.dropFirst()) where one.key == next.key {
            throw .invalidField("value")
        }
        self.init(SortedMap(ascending: children), priority: priority)
    }

    var wire: WireTreeValue {
        var wire = leaf?.wire ?? WireTreeValue()
        if !isLeaf, !isEmpty {
            wire.children = .with {
                $0.children = children.map { key, child in
                    .with {
                        $0.key = key.text
                        $0.value = child.wire
                    }
                }
            }
        }
        if let priority { wire.priority = priority.wire }
        return wire
    }
}

extension TreeLeaf {
    init(_ wire: WireTreeValue) throws(FrameError) {
        switch wire.kind {
        case .boolean(let flag): self = .bool(flag)
        case .number(let number):
            // JSON has no infinities and no NaN. A NaN would also break comparisons, because it is not equal to itself.
            guard number.isFinite else { throw .invalidField("value") }
            self = .number(number)
        case .text(let text): self = .text(text)
        case .serverTimestamp: self = .serverTimestamp
        case .children, nil: throw .invalidField("value")
        }
    }

    var wire: WireTreeValue {
        .with {
            switch self {
            case .bool(let flag): $0.boolean = flag
            case .number(let number): $0.number = number
            case .text(let text): $0.text = text
            case .serverTimestamp: $0.serverTimestamp = WireEmpty()
            }
        }
    }
}

extension TreeWrite.Part {
    init(_ wire: WireTreePart) throws(FrameError) {
        let keys = [TreeKey](joined: wire.path)
        let named = keys.last == .priority ? keys.dropLast() : keys[...]
        guard named.count <= TreeLimits.depthMax, named.allSatisfy(\.isAllowed) else { throw .invalidField("path") }
        self.init(keys, try TreeNode(wire.value))
    }

    var wire: WireTreePart {
        .with {
            $0.path = keys.joined
            $0.value = node.wire
        }
    }
}

extension [TreeWrite.Part] {
    /// Reads the parts of an update.
    ///
    /// - Parameter whole: the value from which the parts are read if `wire` is empty. Older versions sent an update as
    ///   one value with children.
    fileprivate init(_ wire: [WireTreePart], whole: WireTreeValue) throws(FrameError) {
        self.init()
        for part in wire { append(try TreeWrite.Part(part)) }
        guard isEmpty, case .children(let list)? = whole.kind else { return }
        for child in list.children {
            guard TreeKey(child.key).isAllowed else { throw .invalidField("value") }
            append(TreeWrite.Part([TreeKey(child.key)], try TreeNode(child.value)))
        }
    }
}

extension TreeQuery {
    init(_ wire: WireTreeQuery) throws(FrameError) {
        self.init()
        switch wire.order {
        case 0: order = .priority
        case 1: order = .key
        case 2: order = .value
        case 3:
            let keys = [TreeKey](joined: wire.child)
            guard keys.count <= TreeLimits.depthMax, keys.allSatisfy(\.isAllowed) else { throw .invalidField("query") }
            order = .child(keys)
        default: throw .invalidField("query")
        }
        if wire.hasStart { start = try Bound(wire.start) }
        if wire.hasEnd { end = try Bound(wire.end) }
        guard wire.limit <= TreeLimits.queryCountMax else { throw .invalidField("query") }
        if wire.limit > 0 { limit = Limit(wire.last ? .last : .first, Int(wire.limit)) }
    }

    var wire: WireTreeQuery {
        .with {
            switch order {
            case .priority: $0.order = 0
            case .key: $0.order = 1
            case .value: $0.order = 2
            case .child(let keys):
                $0.order = 3
                $0.child = keys.joined
            }
            if let start { $0.start = start.wire }
            if let end { $0.end = end.wire }
            if let limit {
                $0.limit = UInt32(clamping: limit.count)
                $0.last = limit.end == .last
            }
        }
    }
}

extension TreeQuery.Bound {
    fileprivate init(_ wire: WireTreeBound) throws(FrameError) {
        guard wire.key.isEmpty || TreeKey(wire.key).isAllowed else { throw .invalidField("query") }
        self.init(
            wire.hasValue ? try TreeLeaf(wire.value) : nil, key: wire.key.isEmpty ? nil : TreeKey(wire.key))
    }

    fileprivate var wire: WireTreeBound {
        .with {
            if let value { $0.value = value.wire }
            $0.key = key?.text ?? ""
        }
    }
}

extension TreeRequest {
    init(_ wire: WireTreeRequest) throws(FrameError) {
        let path = wire.path
        let hash = wire.hasHash_p ? TreeHash(rawValue: wire.hash) : nil
        switch wire.kind {
        case 1: self = .set(path: path, try TreeNode(wire.value))
        case 2: self = .update(path: path, try [TreeWrite.Part](wire.parts, whole: wire.value))
        case 3: self = .get(path: path, try TreeQuery(wire.query))
        case 4: self = .listen(path: path, try TreeQuery(wire.query), number: wire.listen, hash: hash)
        case 5: self = .unlisten(path: path, number: wire.listen)
        case 6 where wire.merges:
            self = .onDisconnectUpdate(path: path, try [TreeWrite.Part](wire.parts, whole: wire.value))
        case 6: self = .onDisconnect(path: path, try TreeNode(wire.value))
        case 7: self = .cancelOnDisconnect(path: path)
        case 8:
            guard let hash else { throw .invalidField("hash") }
            self = .transaction(path: path, try TreeNode(wire.value), over: hash)
        default: throw .invalidField("kind")
        }
    }

    var wire: WireTreeRequest {
        .with {
            $0.path = path
            switch self {
            case .set(_, let node):
                $0.kind = 1
                $0.value = node.wire
            case .update(_, let parts):
                $0.kind = 2
                $0.parts = parts.map(\.wire)
            case .get(_, let query):
                $0.kind = 3
                if !query.isDefault { $0.query = query.wire }
            case .listen(_, let query, let number, let hash):
                $0.kind = 4
                if !query.isDefault { $0.query = query.wire }
                $0.listen = number
                $0.set(hash)
            case .unlisten(_, let number):
                $0.kind = 5
                $0.listen = number
            case .onDisconnect(_, let node):
                $0.kind = 6
                $0.value = node.wire
            case .onDisconnectUpdate(_, let parts):
                $0.kind = 6
                $0.merges = true
                $0.parts = parts.map(\.wire)
            case .cancelOnDisconnect: $0.kind = 7
            case .transaction(_, let node, let hash):
                $0.kind = 8
                $0.value = node.wire
                $0.set(hash)
            }
        }
    }
}

extension WireTreeRequest {
    fileprivate mutating func set(_ hash: TreeHash?) {
        guard let hash else { return }
        hasHash_p = true
        self.hash = hash.rawValue
    }
}

extension TreeData {
    init(_ wire: WireTreeData) throws(FrameError) {
        var parts: [TreeWrite.Part] = []
        for part in wire.parts { parts.append(try TreeWrite.Part(part)) }
        self.init(
            listen: wire.listen, path: wire.path, parts.isEmpty ? .set(try TreeNode(wire.value)) : .update(parts))
    }

    var wire: WireTreeData {
        .with {
            $0.listen = listen
            $0.path = path
            switch change {
            case .set(let node): $0.value = node.wire
            case .update(let parts): $0.parts = parts.map(\.wire)
            }
        }
    }
}
