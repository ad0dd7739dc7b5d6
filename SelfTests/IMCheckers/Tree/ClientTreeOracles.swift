import IMClient
import IMSession
import SansIO

/// The oracles of the tree that see one client.
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
    ///   - isReliable: whether no frame can have been lost.
    ///   - isKept: whether what this process is told outlives it.
    ///   - epochMilliseconds: the wall clock of the server when the session began.
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

    /// What the app was told of its connection, while it is awake.
    ///
    /// - Parameter isConnected: whether a link carries the login.
    package func faultOfConnection(_ isConnected: Bool) -> Violation? { connected.fault(isConnected) }

    /// To be called where a client is online and nothing is under way.
    ///
    /// - Parameter isReliable: whether no frame can have been lost.
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
