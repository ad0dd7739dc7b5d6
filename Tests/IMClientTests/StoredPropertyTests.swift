import IMProtocol
import Testing

@testable import IMClient

/// Each stored property must have a key in `FormatKeys.swift`. Without one, it would be missing in keyframes.
@Suite struct StoredPropertyTests {
    private func propertyCount(_ value: Any) -> Int { Mirror(reflecting: value).children.count }

    @Test func everyPropertyIsStored() {
        let link = ClientMachine.Link(id: ConnectionID(1))
        #expect(propertyCount(link) == ClientMachine.Link.CodingKeys.allCases.count)
        #expect(propertyCount(ClientTree()) == ClientTree.CodingKeys.allCases.count)
        let treeRequest = PendingTreeRequest(number: 1, kind: .unlisten)
        #expect(propertyCount(treeRequest) == PendingTreeRequest.CodingKeys.allCases.count)
        #expect(propertyCount(ClientData()) == ClientData.CodingKeys.allCases.count)
        let request = PendingRequest(command: CommandID(1))
        #expect(propertyCount(request) == PendingRequest.CodingKeys.allCases.count)
        #expect(propertyCount(Reconciliation()) == Reconciliation.CodingKeys.allCases.count)
        #expect(propertyCount(WatchedUser(user: "bob")) == WatchedUser.CodingKeys.allCases.count)
        #expect(propertyCount(WallClock()) == WallClock.CodingKeys.allCases.count)
    }
}
