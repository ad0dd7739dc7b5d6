import Foundation
import IMTree

/// Firebase's published specification of its sync tree: the events of the listeners during some steps.
struct SyncPointCase: Decodable {
    var name: String
    var steps: [Step]

    struct Step: Decodable {
        enum Kind: String, Decodable {
            case listen, unlisten, serverUpdate, serverMerge, set, update, ackUserWrite, suppressWarning
        }

        var type: Kind
        var path: String?
        var params: Params?
        var callbackId: Int?
        var data: CaseValue?
        var tag: UInt64?
        var visible: Bool?
        var writeId: UInt64?
        var revert: Bool?
        var events: [Event]?
    }

    struct Params: Decodable {
        var tag: UInt64?
        var orderBy: String?
        var orderByKey: Bool?
        var orderByPriority: Bool?
        var limitToFirst: Int?
        var limitToLast: Int?
        var startAt: Bound?
        var endAt: Bound?
        var equalTo: Bound?

        struct Bound: Decodable {
            var index: CaseValue?
            var name: String?
        }
    }

    struct Event: Decodable {
        var path: String
        var type: String
        var name: String?
        var prevName: String?
        var data: CaseValue?
    }
}

/// A JSON value in a case.
indirect enum CaseValue: Decodable {
    case null
    case leaf(TreeLeaf)
    case array([CaseValue])
    case object([String: CaseValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .leaf(.bool(flag))
        } else if let number = try? value.decode(Double.self) {
            self = .leaf(.number(number))
        } else if let text = try? value.decode(String.self) {
            self = .leaf(.text(text))
        } else if let elements = try? value.decode([CaseValue].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: CaseValue].self))
        }
    }

    var leaf: TreeLeaf? {
        guard case .leaf(let leaf) = self else { return nil }
        return leaf
    }

    var members: [(key: String, value: CaseValue)] {
        switch self {
        case .null, .leaf: []
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .object(let members): members.sorted { $0.key < $1.key }
        }
    }

    var node: TreeNode {
        if case .leaf(let leaf) = self { return TreeNode(leaf) }
        var (node, priority) = (TreeNode.empty, TreeLeaf?.none)
        for (key, value) in members {
            switch key {
            case ".priority": priority = value.leaf
            case ".value": node = value.node
            default: node = node.setting(TreeKey(key), to: value.node)
            }
        }
        return node.with(priority: priority)
    }
}

extension [TreeKey] {
    init(path: String) { self = path.split(separator: "/").map { TreeKey(String($0)) } }
}

extension SyncPointCase.Params {
    var query: TreeQuery {
        var query = TreeQuery()
        if let orderBy { query.order = .child([TreeKey](path: orderBy)) }
        if orderByKey == true { query.order = .key }
        query.limit = limitToFirst.map { .init(.first, $0) } ?? limitToLast.map { .init(.last, $0) }
        query.start = (startAt ?? equalTo).map(\.bound)
        query.end = (endAt ?? equalTo).map(\.bound)
        return query
    }
}

extension SyncPointCase.Params.Bound {
    var bound: TreeQuery.Bound { TreeQuery.Bound(index?.leaf, key: name.map { TreeKey($0) }) }
}
