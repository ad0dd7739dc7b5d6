import Foundation
import IMClient
import IMProtocol
import IMTree

// Converts requests for a device's stored tree data, and their answers, to and from the records of a session file.

extension TreeDataRequest {
    var record: WireTreeDataRequest {
        .with {
            switch self {
            case .open: $0.open = true
            case .change(let changes): $0.change = .with { $0.changes = changes.map(\.record) }
            case .read(let number, let queries):
                $0.read = .with {
                    $0.number = number
                    $0.queries = queries
                }
            }
        }
    }

    init(_ record: WireTreeDataRequest) throws {
        switch record.kind {
        case .open: self = .open
        case .change(let changes): self = .change(try changes.changes.map(TreeStorage.Change.init))
        case .read(let read): self = .read(number: read.number, read.queries)
        case nil: throw RecordError.unreadable("it has a request that this version does not know")
        }
    }
}

extension TreeDataAnswer {
    var record: WireTreeDataAnswer {
        .with {
            switch self {
            case .opened(let contents):
                $0.opened = .with {
                    $0.tracked = contents.tracked.map(\.record)
                    $0.writes = contents.writes.map(\.record)
                }
            case .read(let number, let held):
                $0.read = .with {
                    $0.number = number
                    $0.queries = held.map { TreeWrite.put($0.number, [TreeWrite.Part([], $0.node)]) }
                }
            case .failed(let status): $0.failed = UInt32(status.rawValue)
            }
        }
    }

    init(_ record: WireTreeDataAnswer) throws {
        switch record.kind {
        case .opened(let contents):
            self = .opened(
                TreeStorage.Contents(
                    tracked: try contents.tracked.map(TrackedQuery.init),
                    writes: try contents.writes.map(TreeWrite.init)))
        case .read(let held):
            let queries = try held.queries.map { query in
                guard query.parts.count == 1 else { throw RecordError.unreadable("its data is invalid") }
                return TreeStorage.Held(query.number, try TreeWrite.Part(query.parts[0]).node)
            }
            self = .read(number: held.number, queries)
        case .failed(let status): self = .failed(try RecordCodec.value(status, "status"))
        case nil: throw RecordError.unreadable("it has an answer that this version does not know")
        }
    }
}

extension TreeStorage.Change {
    fileprivate var record: WireTreeChange {
        .with {
            switch self {
            case .track(let query): $0.track = query.record
            case .forget(let number): $0.forget = number
            case .put(let number, let parts): $0.put = TreeWrite.put(number, parts)
            case .amend(let number, let parts): $0.amend = TreeWrite.put(number, parts)
            case .hold(let write): $0.hold = write.record
            case .release(let number): $0.release = number
            }
        }
    }

    fileprivate init(_ record: WireTreeChange) throws {
        switch record.kind {
        case .track(let query): self = .track(try TrackedQuery(query))
        case .forget(let number): self = .forget(number)
        case .put(let put): self = .put(put.number, try put.parts.map(TreeWrite.Part.init))
        case .amend(let put): self = .amend(put.number, try put.parts.map(TreeWrite.Part.init))
        case .hold(let write): self = .hold(try TreeWrite(write))
        case .release(let number): self = .release(number)
        case nil: throw RecordError.unreadable("it has a change that this version does not know")
        }
    }
}

extension TrackedQuery {
    fileprivate var record: WireTrackedQuery {
        .with {
            $0.number = number
            $0.path = path.joined
            $0.query = query.isDefault ? Data() : CanonicalJSON.data(of: query)
            $0.isComplete = isComplete
            $0.isActive = isActive
            $0.lastUse = lastUse
            $0.size = UInt64(max(0, bytes))
            $0.isCurrent = isCurrent
            $0.asOf = asOf
        }
    }

    fileprivate init(_ record: WireTrackedQuery) throws {
        self.init(
            number: record.number, path: try [TreeKey](recorded: record.path),
            query: record.query.isEmpty ? .all : try JSONDecoder().decode(TreeQuery.self, from: record.query),
            isComplete: record.isComplete, isActive: record.isActive,
            isCurrent: record.isCurrent, lastUse: record.lastUse, asOf: record.asOf,
            bytes: Int(clamping: min(record.size, UInt64(Int32.max))))
    }
}

extension TreeWrite {
    fileprivate static func put(_ number: UInt64, _ parts: [Part]) -> WireTreePut {
        .with {
            $0.number = number
            $0.parts = parts.map(\.record)
        }
    }

    fileprivate var record: WirePendingTreeWrite {
        .with {
            $0.id = id
            $0.path = path.joined
            switch change {
            case .set(let node): $0.parts = [Part([], node).record]
            case .update(let parts):
                $0.parts = parts.map(\.record)
                $0.isUpdate = true
            }
        }
    }

    fileprivate init(_ record: WirePendingTreeWrite) throws {
        let parts = try record.parts.map(Part.init)
        let path = try [TreeKey](recorded: record.path)
        guard record.isUpdate || parts.count == 1 && parts[0].keys.isEmpty else {
            throw RecordError.unreadable("its write is invalid")
        }
        self.init(id: record.id, at: path, record.isUpdate ? .update(parts) : .set(parts[0].node))
    }
}

extension TreeWrite.Part {
    fileprivate var record: WireTreePart {
        .with {
            $0.path = keys.joined
            $0.node = Data(node.bytes)
        }
    }

    fileprivate init(_ record: WireTreePart) throws {
        guard let node = TreeNode(bytes: record.node) else { throw RecordError.unreadable("its data is invalid") }
        self.init(try [TreeKey](recorded: record.path), node)
    }
}

extension [TreeKey] {
    fileprivate init(recorded path: String) throws {
        self = path.isEmpty ? [] : [TreeKey](joined: path)
        let named = last == .priority ? dropLast() : self[...]
        guard named.count <= TreeLimits.depthMax, named.allSatisfy(\.isAllowed) else {
            throw RecordError.unreadable("its path is invalid")
        }
    }
}

extension TreeDataRequest {
    /// The approximate memory use, in bytes.
    var estimatedBytes: Int {
        switch self {
        case .open: 0
        case .change(let changes): changes.reduce(0) { $0 + $1.estimatedBytes }
        case .read(_, let queries): queries.count * 8
        }
    }
}

extension TreeDataAnswer {
    /// The approximate memory use, in bytes.
    var estimatedBytes: Int {
        switch self {
        case .opened(let contents):
            contents.writes.reduce(contents.tracked.count * 128) { $0 + TreeStorage.Change.hold($1).estimatedBytes }
        case .read(_, let held): held.reduce(0) { $0 + $1.node.weight }
        case .failed: 0
        }
    }
}

extension TreeStorage.Change {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .track: 128
        case .forget, .release: 8
        case .put(_, let parts), .amend(_, let parts): parts.reduce(0) { $0 + 64 + $1.node.weight }
        case .hold(let write):
            switch write.change {
            case .set(let node): 64 + node.weight
            case .update(let parts): parts.reduce(64) { $0 + 64 + $1.node.weight }
            }
        }
    }
}
