import IMClient
import IMProtocol
import IMTree

// The fields of requests for a device's stored tree data, and of their answers.

extension TreeDataRequest: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeDataRequest {
        switch self {
        case .open:
            visitor.shown(.action, "tree-open")
            return self
        case .change(let changes):
            visitor.shown(.action, "tree-change")
            visitor.shown(.what, changes.map(\.fieldText).joined(separator: ","))
            visitor.shown(.path, changes.compactMap(\.path).map(\.joined).joined(separator: ","))
            visitor.shown(.value, changes.compactMap(\.shownParts).joined(separator: ","))
            return Visitor.onlyReads ? self : .change(changes.map { $0.replaced(&visitor) })
        case .read(let number, let queries):
            visitor.shown(.action, "tree-read")
            visitor.shown(.request, String(number))
            visitor.shown(.ids, queries.map(String.init).joined(separator: ","))
            return self
        }
    }
}

extension TreeDataAnswer: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeDataAnswer {
        switch self {
        case .opened(var contents):
            visitor.shown(.action, "tree-opened")
            visitor.shown(.count, String(contents.tracked.count))
            visitor.shown(.write, String(contents.writes.count))
            let paths = contents.tracked.map(\.path) + contents.writes.map(\.path)
            visitor.shown(.path, paths.map(\.joined).joined(separator: ","))
            visitor.shown(.value, contents.writes.map(\.change.description).joined(separator: ","))
            guard !Visitor.onlyReads else { return self }
            contents.tracked = contents.tracked.map { $0.replaced(&visitor) }
            contents.writes = contents.writes.map { $0.replaced(&visitor) }
            return .opened(contents)
        case .read(let number, let held):
            visitor.shown(.action, "tree-read")
            visitor.shown(.request, String(number))
            visitor.shown(.ids, held.map { String($0.number) }.joined(separator: ","))
            visitor.shown(.value, held.map(\.node.description).joined(separator: ","))
            guard !Visitor.onlyReads else { return self }
            return .read(number: number, held.map { TreeStorage.Held($0.number, visitor.tree(.value, $0.node)) })
        case .failed(let status):
            visitor.shown(.action, "tree-failed")
            visitor.shown(.status, status.fieldText)
            return self
        }
    }
}

// If an event contains several items, one field shows all of them, and `replaced` visits each of them separately.

extension TreeStorage.Change {
    fileprivate func replaced<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeStorage.Change {
        switch self {
        case .track(let query): .track(query.replaced(&visitor))
        case .put(let number, let parts): .put(number, visitor.hiddenParts(parts))
        case .amend(let number, let parts): .amend(number, visitor.hiddenParts(parts))
        case .hold(let write): .hold(write.replaced(&visitor))
        case .forget, .release: self
        }
    }

    fileprivate var path: [TreeKey]? {
        switch self {
        case .track(let query): query.path
        case .hold(let write): write.path
        case .put, .amend, .forget, .release: nil
        }
    }

    fileprivate var shownParts: String? {
        switch self {
        case .put(_, let parts), .amend(_, let parts): TreeWrite.Change.update(parts).description
        case .hold(let write): write.change.description
        case .track, .forget, .release: nil
        }
    }

    fileprivate var fieldText: String {
        switch self {
        case .track: "track"
        case .forget: "forget"
        case .put: "put"
        case .amend: "amend"
        case .hold: "hold"
        case .release: "release"
        }
    }
}

extension TrackedQuery {
    fileprivate func replaced<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TrackedQuery {
        var tracked = self
        tracked.path = visitor.hiddenKeys(path)
        tracked.query = visitor.query(.value, query)
        return tracked
    }
}

extension TreeWrite {
    fileprivate func replaced<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeWrite {
        var write = self
        write.path = visitor.hiddenKeys(path)
        switch change {
        case .set(let node): write.change = .set(visitor.tree(.value, node))
        case .update(let parts): write.change = .update(visitor.hiddenParts(parts))
        }
        return write
    }
}

extension FieldVisitor {
    fileprivate mutating func hiddenKeys(_ keys: [TreeKey]) -> [TreeKey] {
        keys.map { $0 == .priority ? $0 : TreeKey(hidden($0.text, .path)) }
    }

    fileprivate mutating func hiddenParts(_ parts: [TreeWrite.Part]) -> [TreeWrite.Part] {
        parts.map { TreeWrite.Part(hiddenKeys($0.keys), tree(.value, $0.node)) }
    }
}
