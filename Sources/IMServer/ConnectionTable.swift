import IMProtocol
import SansIO

/// The connections of a server. A connection is found, added and taken away in a time that does not depend on how many
/// there are: thousands may end in the same moment.
///
/// Who walks through them does so in the order of their ids, which is that in which they were made.
struct ConnectionTable: Hashable, Sendable {
    private var connections: [ConnectionID: Connection] = [:]

    init() {}

    subscript(id: ConnectionID) -> Connection? {
        get { connections[id] }
        _modify { yield &connections[id] }
    }

    /// Reaches for a connection where it stands. The subscript copies all of it, and every frame asks for a little.
    ///
    /// - Returns: what `body` makes of it; nil where there is none.
    @inline(__always)
    mutating func at<Result>(_ id: ConnectionID, _ body: (inout Connection) -> Result) -> Result? {
        guard let place = connections.index(forKey: id) else { return nil }
        return body(&connections.values[place])
    }

    var count: Int { connections.count }
    var isEmpty: Bool { connections.isEmpty }
    /// In order; costs a walk through all of them.
    var keys: [ConnectionID] { connections.keys.sorted() }

    @discardableResult
    mutating func removeValue(forKey id: ConnectionID) -> Connection? { connections.removeValue(forKey: id) }
}

// In keyframes an array: the id of a connection, and behind it the connection.
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
