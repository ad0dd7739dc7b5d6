import IMProtocol
import SansIO

/// The connections of a server. Finding, adding and removing a connection takes constant time, because thousands of
/// connections may end at the same time.
///
/// `keys` has the order of the ids, which is the order in which the connections were opened.
struct ConnectionTable: Hashable, Sendable {
    private var connections: [ConnectionID: Connection] = [:]

    init() {}

    subscript(id: ConnectionID) -> Connection? {
        get { connections[id] }
        _modify { yield &connections[id] }
    }

    /// Changes a connection in place. Frames change small parts, and the subscript copies the whole connection.
    ///
    /// - Returns: the result of `body`; nil if the connection does not exist.
    @inline(__always)
    mutating func at<Result>(_ id: ConnectionID, _ body: (inout Connection) -> Result) -> Result? {
        guard let entryIndex = connections.index(forKey: id) else { return nil }
        return body(&connections.values[entryIndex])
    }

    var count: Int { connections.count }
    var isEmpty: Bool { connections.isEmpty }
    /// The ids of all connections, sorted. Takes O(n log n) time.
    var keys: [ConnectionID] { connections.keys.sorted() }

    @discardableResult
    mutating func removeValue(forKey id: ConnectionID) -> Connection? { connections.removeValue(forKey: id) }
}

// A keyframe stores the table as an array, in which the id of each connection precedes the connection.
extension ConnectionTable: Codable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let id = try container.decode(ConnectionID.self)
            guard !container.isAtEnd else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "the connection \(id.rawValue) has no value")
            }
            connections[id] = try container.decode(Connection.self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for id in keys {
            try container.encode(id)
            try container.encode(connections[id])
        }
    }
}
