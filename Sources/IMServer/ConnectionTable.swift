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

    /// Something came over a connection.
    ///
    /// - Returns: how far the connection has come; nil where there is none.
    mutating func hear(_ id: ConnectionID, at now: Instant) -> Connection.Stage? {
        guard let place = connections.index(forKey: id) else { return nil }
        connections.values[place].lastHeard = now
        return connections.values[place].stage
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
