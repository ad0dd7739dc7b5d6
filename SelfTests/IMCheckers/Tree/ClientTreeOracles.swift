import IMClient
import IMSession
import SansIO

/// The tree checkers of one client.
package struct ClientTreeOracles {
    private var transactions = TransactionOracle()
    private var writeOrder = WriteOrderOracle()
    private var addedOrder = AddedOrderOracle()
    private var listens = ListenOracle()
    private var endedListens = EndedListenOracle()
    private var connected = ConnectedOracle()
    private var told = TreeToldOracle()
    private var recentPlaces = RecentPlaceOracle()
    private var ownPlaces = OwnPlaceOracle()
    private var ownWindows = OwnWindowOracle()
    private var heardPlaces = HeardPlaceOracle()
    private var clockOffset = ClockOffsetOracle()

    package init() {}

    /// - Parameters:
    ///   - isReliable: true if no frame can have been lost.
    ///   - isKept: true if the data that this process receives is stored for the next one.
    ///   - epochMilliseconds: the server's wall clock at the start of the session, in milliseconds since 1970.
    package mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, epochMilliseconds: Int64,
        into faults: inout [Violation]
    ) {
        transactions.see(event, into: &faults)
        writeOrder.see(event, into: &faults)
        addedOrder.see(event, into: &faults)
        listens.see(event)
        endedListens.see(event, into: &faults)
        connected.see(event)
        told.see(event, into: &faults)
        recentPlaces.see(event, trace, into: &faults)
        ownPlaces.see(event, trace, isReliable: isReliable, isKept: isKept, into: &faults)
        ownWindows.see(event, trace, isReliable: isReliable, into: &faults)
        heardPlaces.see(event, trace, isReliable: isReliable, isKept: isKept, into: &faults)
        clockOffset.see(event, trace, epochMilliseconds: epochMilliseconds, into: &faults)
    }

    /// Checks the notified state of the connection, while the device is awake.
    ///
    /// - Parameter isConnected: true if a connection carries the login.
    package func faultOfConnection(_ isConnected: Bool) -> Violation? { connected.fault(isConnected) }

    /// Call it if a client is online and nothing is in flight.
    ///
    /// - Parameter isReliable: true if no frame can have been lost.
    package func faults(of machine: ClientMachine, isReliable: Bool) -> [Violation] {
        var faults = [clockOffset.fault]
        if machine.treeChangesWaiting == 0 {
            faults.append(told.fault(machine.treeViews))
            faults.append(writeOrder.fault)
            if isReliable { faults.append(listens.fault(machine.treeListens)) }
        }
        return faults.compactMap(\.self)
    }
}
