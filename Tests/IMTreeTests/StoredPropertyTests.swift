import Testing

@testable import IMTree

/// Each stored property must have a key in `FormatKeys.swift`. Without one, it would be missing in keyframes and in
/// local data.
@Suite struct StoredPropertyTests {
    private let listener = TreeListenerID(rawValue: 1)

    private func propertyCount(_ value: Any) -> Int { Mirror(reflecting: value).children.count }

    @Test func everyPropertyIsStored() throws {
        let query = TrackedQuery(number: 1, path: ["a"], query: .all, lastUse: 1)
        #expect(propertyCount(query) == TrackedQuery.CodingKeys.allCases.count)
        #expect(propertyCount(SyncedQueries()) == SyncedQueries.CodingKeys.allCases.count)
        let transaction = TreeTransaction(
            id: 1, path: ["a"], expression: try TransactionExpression("value + 1"), isVisible: true,
            listener: listener, write: 1, input: .empty, output: .empty)
        #expect(propertyCount(transaction) == TreeTransaction.CodingKeys.allCases.count)
        var tree = SyncTree()
        _ = tree.listen(listener, to: .all, at: ["a"])
        let view = try #require(tree.points[["a"]].value?.views.first)
        #expect(propertyCount(view) == TreeView.CodingKeys.allCases.count)
        #expect(propertyCount(view.listeners[0]) == TreeListener.CodingKeys.allCases.count)
        let window = ListenedWindow(.all, by: TreeClientID(rawValue: 1), listen: 1, .empty)
        #expect(propertyCount(window) == ListenedWindow.CodingKeys.allCases.count)
        #expect(propertyCount(TreeClient()) == TreeClient.CodingKeys.allCases.count)
    }
}
