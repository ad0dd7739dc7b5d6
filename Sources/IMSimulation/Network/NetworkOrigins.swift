/// What brought the network and the server into the state in which links fail, for whatever carries the links.
package struct NetworkOrigins: Sendable {
    /// The last change of each client's network.
    private var changes: [NodeID: EventID] = [:]
    /// The last end of the server's process.
    package var serverEnd = EventID.none

    package init() {}

    package mutating func changed(_ client: NodeID, _ cause: EventID) {
        changes[client] = cause == .none ? nil : cause
    }

    /// What came of a client's network: its last change; `other` where nobody has changed it.
    package func ofNetwork(_ client: NodeID, else other: EventID) -> EventID { changes[client] ?? other }

    /// What came of nobody listening: the end of the server; the attempt where it has never ended.
    package func ofRefusal(_ attempt: EventID) -> EventID { serverEnd == .none ? attempt : serverEnd }
}
