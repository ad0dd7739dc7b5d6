import IMClient
import IMProfiles
import IMProtocol
import IMTree
import Testing
import WilddogSync

/// The module's names and numbers are those of the dialect, which the shell shows.
@Suite struct NameTests {
    private let dialect = WilddogDialect()

    @Test func events() {
        #expect(WDGDataEventType.allCases.map(\.rawValue) == TreeEventKind.allCases.map(\.rawValue))
        for type in WDGDataEventType.allCases {
            let kind = TreeEventKind(rawValue: type.rawValue)
            let effect = ClientEffect.notify(
                type == .value
                    ? .treeValue(path: "x", .empty)
                    : .treeChild(TreeChildNotice(kind ?? .value, path: "x", key: "y", previous: nil, .empty)))
            let name = type == .value ? "valueChanged" : "\(type)"
            #expect(dialect.callback(for: effect)?.name == name)
        }
        #expect(dialect.callbacks.map(\.name).count == WDGDataEventType.allCases.count + 1)
    }

    /// Every number of the dialect is a code here, except those for tokens, which the header does not have. Every code
    /// is used except some that never occur. The names differ: the dialect has those of the documentation.
    @Test func codes() {
        var said: Set<Int> = []
        for status in Status.allCases where status != .ok && status != .stored {
            for call in [CallKind.tree, .onDisconnect] { said.insert(dialect.code(for: status, of: call).number) }
        }
        let known = Set(WDGSyncErrorCode.allCases.map(\.rawValue))
        #expect(said.subtracting(known).sorted() == [26_801, 26_802])
        #expect(known.subtracting(said).sorted() == [26_002, 26_202])
        #expect(dialect.code(for: .forbidden, of: .tree).name == "PermissionDenied")
        #expect(dialect.code(for: .connectionFailed, of: .tree).number == WDGSyncErrorCode.serviceUnavailable.rawValue)
        #expect(dialect.code(for: .notFound, of: .tree).number == WDGSyncErrorCode.nonExistentNode.rawValue)
    }
}
