import IMTree

// Splits nodes that are too large for one frame into pages. Each page is a node with a part of the children, and the
// receiver joins the pages to the whole node. A text that is larger than a page is split into consecutive pieces.

extension TreeNode {
    /// The maximum ``weight`` of a page.
    static let pageWeightMax = 48_000
    /// The weight of a key on the path to a part, in addition to the bytes of the key.
    private static let keyWeight = 30

    /// The pages of the node, each of which fits into a frame. If the node itself fits, it is the only page.
    public var pages: [TreeNode] {
        guard weight > Self.pageWeightMax else { return [self] }
        var pager = Pager()
        pager.add(self, at: [], 0)
        return pager.pages + [pager.page]
    }

    private struct Pager {
        var pages: [TreeNode] = []
        var page = TreeNode.empty
        private var remaining = TreeNode.pageWeightMax

        mutating func add(_ node: TreeNode, at keys: [TreeKey], _ pathWeight: Int) {
            let weight = node.weight + pathWeight
            if weight > remaining, !page.isEmpty { startPage() }
            if weight <= remaining {
                page = page.setting(keys[...], to: node)
                remaining -= weight
            } else if case .text(let text)? = node.leaf {
                add(text, priority: node.priority, at: keys, pathWeight)
            } else {
                let pathWeight = pathWeight + (node.priority.map { TreeNode($0).weight } ?? 0)
                for (key, child) in node.children {
                    add(child, at: keys + [key], pathWeight + key.text.utf8.count + TreeNode.keyWeight)
                    // The priority is set after the child, because a node without children cannot have one.
                    if let priority = node.priority {
                        page = page.setting((keys + [.priority])[...], to: TreeNode(priority))
                    }
                }
            }
        }

        private mutating func add(_ text: String, priority: TreeLeaf?, at keys: [TreeKey], _ pathWeight: Int) {
            var rest = text.unicodeScalars[...]
            while !rest.isEmpty {
                var piece = String.UnicodeScalarView()
                var left = max(remaining - pathWeight - (priority.map { TreeNode($0).weight } ?? 0) - 60, 4)
                while let next = rest.first, left >= 4 {
                    piece.append(next)
                    left -= UTF8.width(next)
                    rest.removeFirst()
                }
                page = page.setting(keys[...], to: TreeNode(.text(String(piece)), priority: priority))
                if !rest.isEmpty { startPage() } else { remaining = left }
            }
        }

        private mutating func startPage() {
            pages.append(page)
            (page, remaining) = (.empty, TreeNode.pageWeightMax)
        }
    }

    /// Joins the pages so far with the next page.
    func joined(with next: TreeNode) -> TreeNode {
        switch (leaf, next.leaf) {
        case (.text(let text)?, .text(let more)?): return TreeNode(.text(text + more), priority: priority)
        case (nil, nil) where !isEmpty && !next.isEmpty:
            // If a child is split, only the page with its end has the priority of the node.
            return next.children.reduce(self) { $0.setting($1.key, to: $0[$1.key].joined(with: $1.value)) }
                .with(priority: next.priority ?? priority)
        default: return isEmpty ? next : next.isEmpty ? self : next
        }
    }
}

extension [TreeWrite.Part] {
    /// Splits the parts into pages that each fit into a frame. If there are no parts, there is one empty page.
    fileprivate var pages: [[TreeWrite.Part]] {
        var pages: [[TreeWrite.Part]] = [[]]
        var remaining = TreeNode.pageWeightMax
        for part in self {
            let pathWeight = part.keys.reduce(20) { $0 + $1.text.utf8.count + 4 }
            for node in part.node.pages {
                let weight = node.weight + pathWeight
                if weight > remaining, pages.last?.isEmpty == false {
                    pages.append([])
                    remaining = TreeNode.pageWeightMax
                }
                pages[pages.count - 1] = pages[pages.count - 1].joined(with: [TreeWrite.Part(part.keys, node)])
                remaining -= weight
            }
        }
        return pages
    }

    fileprivate func joined(with next: [TreeWrite.Part]) -> [TreeWrite.Part] {
        next.reduce(into: self) { parts, part in
            if let last = parts.last, last.keys == part.keys {
                parts[parts.count - 1].node = last.node.joined(with: part.node)
            } else {
                parts.append(part)
            }
        }
    }
}

extension TreeWrite.Change {
    fileprivate var pages: [TreeWrite.Change] {
        switch self {
        case .set(let node): node.pages.map { .set($0) }
        case .update(let parts): parts.pages.map { .update($0) }
        }
    }

    fileprivate func joined(with next: TreeWrite.Change) -> TreeWrite.Change? {
        switch (self, next) {
        case (.set(let node), .set(let more)): .set(node.joined(with: more))
        case (.update(let parts), .update(let more)): .update(parts.joined(with: more))
        default: nil
        }
    }
}

extension TreeRequest {
    /// The frames of the request, in order; several if it is too large for one.
    public func frames(request: UInt32) -> [Frame] {
        let bodies: [TreeRequest] =
            switch self {
            case .set(let path, let node): node.pages.map { .set(path: path, $0) }
            case .update(let path, let parts): parts.pages.map { .update(path: path, $0) }
            case .transaction(let path, let node, let hash): node.pages.map { .transaction(path: path, $0, over: hash) }
            case .onDisconnect(let path, let node): node.pages.map { .onDisconnect(path: path, $0) }
            case .onDisconnectUpdate(let path, let parts):
                parts.pages.map { .onDisconnectUpdate(path: path, $0) }
            case .get, .listen, .unlisten, .cancelOnDisconnect: [self]
            }
        return FramePages.frames(request: request, bodies.map(FrameBody.tree))
    }

    func joined(with next: TreeRequest) -> TreeRequest? {
        guard path == next.path else { return nil }
        return switch (self, next) {
        case (.set(_, let node), .set(_, let more)): .set(path: path, node.joined(with: more))
        case (.update(_, let parts), .update(_, let more)): .update(path: path, parts.joined(with: more))
        case (.transaction(_, let node, let hash), .transaction(_, let more, let other)) where hash == other:
            .transaction(path: path, node.joined(with: more), over: hash)
        case (.onDisconnect(_, let node), .onDisconnect(_, let more)):
            .onDisconnect(path: path, node.joined(with: more))
        case (.onDisconnectUpdate(_, let parts), .onDisconnectUpdate(_, let more)):
            .onDisconnectUpdate(path: path, parts.joined(with: more))
        default: nil
        }
    }
}

extension TreeData {
    /// The frames of the event, in order; several if it is too large for one.
    public var frames: [Frame] {
        FramePages.frames(request: 0, change.pages.map { .treeData(TreeData(listen: listen, path: path, $0)) })
    }

    func joined(with next: TreeData) -> TreeData? {
        guard listen == next.listen, path == next.path else { return nil }
        return change.joined(with: next.change).map { TreeData(listen: listen, path: path, $0) }
    }
}
