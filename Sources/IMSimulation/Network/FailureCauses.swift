/// The causes of connection failures: the last changes of the networks and of the server's process.
package struct FailureCauses: Sendable {
    /// The last change of each client's network.
    private var changes: [NodeID: EventID] = [:]
    /// The last end of the server's process.
    package var serverEnd = EventID.none

    package init() {}

    package mutating func changed(_ client: NodeID, _ cause: EventID) {
        changes[client] = cause == .none ? nil : cause
    }

    /// The cause of a failure of a client's network: the last change of that network; `other` if nobody has changed it.
    package func networkCause(_ client: NodeID, else other: EventID) -> EventID { changes[client] ?? other }

    /// The cause of a refused connection: the end of the server's process; `attempt` if the process has never ended.
    package func refusalCause(_ attempt: EventID) -> EventID { serverEnd == .none ? attempt : serverEnd }
}
