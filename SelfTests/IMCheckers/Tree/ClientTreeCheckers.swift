import IMClient
import IMSession
import SansIO

/// The tree checkers of one client.
package struct ClientTreeCheckers {
    private var transactions = TransactionChecker()
    private var writeOrder = WriteOrderChecker()
    private var addedOrder = PushOrderChecker()
    private var listens = ListenChecker()
    private var endedListens = EndedListenChecker()
    private var connected = ConnectedChecker()
    private var told = ListenerEventChecker()
    private var evictionOrder = EvictionOrderChecker()
    private var ownWrites = OwnWriteChecker()
    private var storedQueries = StoredQueryChecker()
    private var offlineReads = OfflineReadChecker()
    private var clockOffset = ClockOffsetChecker()

    package init() {}

    /// - Parameters:
    ///   - isReliable: true if no frame can have been lost.
    ///   - isKept: true if the data that this process receives is stored for the next one.
    ///   - epochMilliseconds: the server's wall clock at the start of the session, in milliseconds since 1970.
    package mutating func observe(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, epochMilliseconds: Int64,
        into violations: inout [Violation]
    ) {
        transactions.observe(event, into: &violations)
        writeOrder.observe(event, into: &violations)
        addedOrder.observe(event, into: &violations)
        listens.observe(event)
        endedListens.observe(event, into: &violations)
        connected.observe(event)
        told.observe(event, into: &violations)
        evictionOrder.observe(event, trace, into: &violations)
        ownWrites.observe(event, trace, isReliable: isReliable, isKept: isKept, into: &violations)
        storedQueries.observe(event, trace, isReliable: isReliable, into: &violations)
        offlineReads.observe(event, trace, isReliable: isReliable, isKept: isKept, into: &violations)
        clockOffset.observe(event, trace, epochMilliseconds: epochMilliseconds, into: &violations)
    }

    /// Checks the notified state of the connection, while the device is awake.
    ///
    /// - Parameter isConnected: true if a connection carries the login.
    package func connectionViolation(_ isConnected: Bool) -> Violation? { connected.violation(isConnected) }

    /// Call it if a client is online and nothing is in flight.
    ///
    /// - Parameter isReliable: true if no frame can have been lost.
    package func violations(of machine: ClientMachine, isReliable: Bool) -> [Violation] {
        var violations = [clockOffset.violation]
        if machine.treeChangesWaiting == 0 {
            violations.append(told.violation(machine.treeViews))
            violations.append(writeOrder.violation)
            if isReliable { violations.append(listens.violation(machine.treeListens)) }
        }
        return violations.compactMap(\.self)
    }
}
