import Foundation
import IMTree
import Testing

/// Tests with the cases of Firebase's specification. It is not part of this project, so the variable SYNC_POINT_CASES
/// contains its path.
@Suite struct SyncPointCaseTests {
    static let file = ProcessInfo.processInfo.environment["SYNC_POINT_CASES"]

    @Test(
        .enabled(if: file != nil, "SYNC_POINT_CASES names no file of cases"),
        arguments: ["", "foo/bar/baz"])
    func casesPass(below root: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: try #require(Self.file)))
        let cases = try JSONDecoder().decode([SyncPointCase].self, from: data)
        var passed = 0
        for specified in cases {
            var run = SyncPointRun(root: [TreeKey](path: root))
            let faults = run.faults(of: specified)
            if faults.isEmpty { passed += 1 }
            for fault in faults { Issue.record("\(specified.name): \(fault)") }
        }
        print("\(passed) of \(cases.count) cases passed \(root.isEmpty ? "at the root" : "below \(root)")")
    }
}

/// One case while it runs.
struct SyncPointRun {
    let root: [TreeKey]
    private var tree = SyncTree()
    private var lastWrite: UInt64 = 0
    private var lastListener: UInt64 = 1000
    /// The numbers of the tree's listens, by the tags in the case.
    private var tags: [UInt64: UInt64] = [:]
    private var listened: [TreeListen] = []

    init(root: [TreeKey]) { self.root = root }

    mutating func faults(of specified: SyncPointCase) -> [String] {
        var faults: [String] = []
        for (number, step) in specified.steps.enumerated() {
            let effects = take(step)
            faults += (check(effects) + compare(effects, step)).map { "step \(number + 1) (\(step.type)): \($0)" }
        }
        return faults
    }

    private func keys(_ path: String?) -> [TreeKey] { root + [TreeKey](path: path ?? "") }

    private mutating func take(_ step: SyncPointCase.Step) -> [SyncTree.Effect] {
        let node = step.data?.node ?? .empty
        let parts = (step.data?.members ?? []).map { TreeWrite.Part([TreeKey](path: $0.key), $0.value.node) }
        let path = keys(step.path)
        let listen = step.tag.map { tags[$0] ?? .max }
        switch step.type {
        case .listen:
            lastListener += 1
            let query = step.params?.query ?? .all
            let id = TreeListenerID(rawValue: step.callbackId.map(UInt64.init) ?? lastListener)
            let effects = tree.listen(id, to: query, at: path)
            if let tag = step.params?.tag {
                tags[tag] = tree.activeListens.first { $0.path == path && $0.query == query }?.number
            }
            return effects
        case .unlisten:
            let id = TreeListenerID(rawValue: UInt64(step.callbackId ?? 0))
            return tree.unlisten(id, to: step.params?.query ?? .all, at: path)
        case .serverUpdate: return tree.receive(node, at: path, listen: listen)
        case .serverMerge: return tree.receive(parts, at: path, listen: listen)
        case .set: return write(.set(node), at: path, step)
        case .update: return write(.update(parts), at: path, step)
        case .ackUserWrite: return tree.acknowledge(step.writeId ?? .max, isRevert: step.revert ?? false)
        case .suppressWarning: return []
        }
    }

    private mutating func write(
        _ change: TreeWrite.Change, at path: [TreeKey], _ step: SyncPointCase.Step
    ) -> [SyncTree.Effect] {
        defer { lastWrite += 1 }
        return tree.write(TreeWrite(id: lastWrite, at: path, change, isVisible: step.visible ?? true))
    }

    /// Checks that the server has exactly the listens that the app's listeners need.
    private mutating func check(_ effects: [SyncTree.Effect]) -> [String] {
        var faults: [String] = []
        for effect in effects {
            switch effect {
            case .listen(let listen):
                if listened.contains(listen) { faults.append("\(listen) is listened to already") }
                listened.append(listen)
            case .unlisten(let listen):
                if !listened.contains(listen) { faults.append("\(listen) is not listened to") }
                listened.removeAll { $0 == listen }
            case .tell, .cancelled: break
            }
        }
        let active = tree.activeListens
        if listened.count != active.count || !listened.allSatisfy(active.contains) {
            faults.append("listens to \(listened), not \(active)")
        }
        return faults
    }

    // MARK: Events

    private func compare(_ effects: [SyncTree.Effect], _ step: SyncPointCase.Step) -> [String] {
        let reported = effects.compactMap { effect -> TreeEvent? in
            guard case .tell(let event) = effect else { return nil }
            return event
        }
        let reportedLines = reported.map(line)
        let others = (step.events ?? []).map(line)
        var faults: [String] = []
        switch step.type {
        case .listen, .unlisten:
            if reportedLines != others { faults.append("reported \(reportedLines), not \(others)") }
        default:
            if reportedLines.sorted() != others.sorted() {
                faults.append("reported \(reportedLines.sorted()), not \(others.sorted())")
            }
        }
        let order: [TreeEventKind] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
        for (listener, events) in Dictionary(grouping: reported, by: \.listener) {
            let ranks = events.map { order.firstIndex(of: $0.kind) ?? -1 }
            if ranks != ranks.sorted() { faults.append("listener \(listener.rawValue) gets its events out of order") }
        }
        return faults
    }

    private func line(_ event: TreeEvent) -> String {
        let name = [
            .childAdded: "child_added", .childRemoved: "child_removed", .childChanged: "child_changed",
            .childMoved: "child_moved", TreeEventKind.value: "value",
        ][event.kind]
        let path = event.path.dropFirst(root.count).map(\.text).joined(separator: "/")
        return "\(path) \(name ?? "") \(event.key?.text ?? "-") \(event.previousKey?.text ?? "-") \(text(event.node))"
    }

    private func line(_ event: SyncPointCase.Event) -> String {
        let path = [TreeKey](path: event.path).map(\.text).joined(separator: "/")
        let previous = event.type == "child_removed" ? nil : event.prevName
        let name = event.type == "value" ? nil : event.name
        return "\(path) \(event.type) \(name ?? "-") \(previous ?? "-") \(text(event.data?.node ?? .empty))"
    }

    private func text(_ node: TreeNode) -> String {
        let priority = node.priority.map { "!\($0)" } ?? ""
        if let leaf = node.leaf { return "\(leaf)\(priority)" }
        return "{\(node.children.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}\(priority)"
    }
}
