import Foundation
import IMLive
import IMTree

// Measures how the tree scales: the time of one change below a listener and in a query limited to 100, for 1,000 to
// 1,000,000 children; the number of local sets in a second; the memory of a child; and the time from a restart to the
// first answer of stored data.
//
//     swift run -c release --package-path SelfTests/Benchmarks Tree

func microseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = ContinuousClock.now
    for index in 0..<count { body(index) }
    let taken = (ContinuousClock.now - start).components
    return (Double(taken.seconds) * 1e6 + Double(taken.attoseconds) / 1e12) / Double(count)
}

func text(_ value: Double) -> String { String(format: "%.1f", value) }

/// The current memory of this process, in bytes.
var resident: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) * 1024
}

func key(_ index: Int) -> TreeKey { TreeKey("child\(1_000_000 + index)") }

func children(_ count: Int) -> TreeNode {
    var node = TreeNode.empty
    for index in 0..<count {
        let score = TreeNode(.number(Double((index &* 7919) % count)))
        node = node.setting(
            key(index), to: TreeNode.empty.setting("score", to: score).setting("name", to: TreeNode(.text("x"))))
    }
    return node
}

let listener = TreeListenerID(rawValue: 1)
var window = TreeQuery()
window.order = .child(["score"])
window.limit = .init(.last, 100)

print("| children | bytes a child | change below a listener | window of 100: change | the server's: change | listen |")
print("|---|---|---|---|---|---|")
for count in [1_000, 10_000, 100_000, 1_000_000] {
    let before = resident
    let node = children(count)
    let bytes = (resident - before) / Double(count)

    var all = SyncTree()
    _ = all.listen(listener, to: .all, at: ["list"])
    _ = all.receive(node, at: ["list"])
    let below = microseconds(10_000) { index in
        _ = all.receive(TreeNode(.number(Double(index))), at: ["list", key(index &* 7919 % count), "score"])
    }

    var seen = SyncTree()
    _ = seen.listen(listener, to: .all, at: ["list"])
    _ = seen.receive(node, at: ["list"])
    let begun = microseconds(1) { _ in _ = seen.listen(TreeListenerID(rawValue: 2), to: window, at: ["list"]) }
    let slides = microseconds(10_000) { index in
        // One change in three adds a child to the limited query, one removes a child from it, and one does not affect
        // it.
        let score = index % 3 == 0 ? count + index : index % 3 == 1 ? -index : count / 2
        _ = seen.receive(TreeNode(.number(Double(score))), at: ["list", key(index &* 7919 % count), "score"])
    }

    var server = TreeServer(TreeNode.empty.setting("list", to: node))
    _ = server.listen(TreeListen(number: 1, path: ["list"], query: window), by: TreeClientID(rawValue: 1))
    let served = microseconds(10_000) { index in
        let score = index % 3 == 0 ? count + index : index % 3 == 1 ? -index : count / 2
        _ = server.apply(.set(TreeNode(.number(Double(score)))), at: ["list", key(index &* 7919 % count), "score"])
    }
    print(
        "| \(count) | \(text(bytes)) | \(text(below)) µs | \(text(slides)) µs | \(text(served)) µs "
            + "| \(text(begun / 1000)) ms |")
}

var tree = SyncTree()
_ = tree.listen(listener, to: .all, at: ["list"])
_ = tree.receive(children(1_000), at: ["list"])
let sets = microseconds(20_000) { index in
    _ = tree.write(
        TreeWrite(id: UInt64(index), at: ["list", key(index % 1_000), "score"], .set(TreeNode(.number(Double(index))))))
}
let acknowledged = microseconds(20_000) { index in _ = tree.acknowledge(UInt64(index), isRevert: false) }
print("\n\(Int(1e6 / sets)) local sets a second with a listener, none acknowledged")
print("\(Int(1e6 / acknowledged)) acknowledgements a second behind them")

// The limited query of 100 alone, as in a client without another listener.
var alone = SyncTree()
var requestedListen: UInt64 = 0
for case .listen(let listen) in alone.listen(listener, to: window, at: ["list"]) { requestedListen = listen.number }
_ = alone.receive(children(1_000).given(by: window), at: ["list"], listen: requestedListen)
_ = alone.complete(requestedListen)
let inWindow = microseconds(10_000) { index in
    let score = TreeNode(.number(Double(1_000 + index)))
    _ = alone.receive(score, at: ["list", key(index &* 7919 % 1_000), "score"], listen: requestedListen)
}
print("\n\(text(inWindow)) µs a change of a window of 100 that is all a client has")

// The data for a restart: rooms with messages of about a hundred bytes, 10 MB in total.
var rooms = TreeNode.empty
for room in 0..<100 {
    var messages = TreeNode.empty
    for index in 0..<500 {
        let message = TreeNode.empty.setting("from", to: TreeNode(.text("alice")))
            .setting("text", to: TreeNode(.text(String(repeating: "words ", count: 17))))
            .setting("at", to: TreeNode(.number(Double(index))))
        messages = messages.setting(key(index), to: message)
    }
    rooms = rooms.setting(TreeKey("room\(room)"), to: messages)
}
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tree-benchmark-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }
let held = TrackedQuery(number: 1, path: ["rooms"], query: .all, isComplete: true, isCurrent: true, lastUse: 1)
do {
    let store = try SQLiteClientStore(path: folder + "/clients.sqlite")
    try store.tree(profile: "wilddog", client: "phone").apply([.track(held), .put(1, [TreeWrite.Part([], rooms)])])
    store.closeData(profile: "wilddog", client: "phone")
}

/// The time from opening the file to the first event of a listener, and the number of events.
func restart(_ path: [TreeKey]) throws -> (milliseconds: Double, events: Int) {
    let store = try SQLiteClientStore(path: folder + "/clients.sqlite")
    defer { store.closeData(profile: "wilddog", client: "phone") }
    let start = ContinuousClock.now
    let file = try store.tree(profile: "wilddog", client: "phone")
    var client = TreeClient()
    _ = client.persist(with: try file.contents(), serverTime: 0)
    var events = 0
    for case .load(let number, let queries) in client.listen(listener, to: .all, at: path) {
        for case .tell in client.loaded(number, try file.storedData(of: queries), serverTime: 0) { events += 1 }
    }
    let taken = (ContinuousClock.now - start).components
    return (Double(taken.seconds) * 1e3 + Double(taken.attoseconds) / 1e15, events)
}
let bytes =
    (try? FileManager.default.attributesOfItem(atPath: folder + "/clients.sqlite.data/wilddog-phone.tree.sqlite"))?[
        .size]
print("\na file of \(bytes ?? 0) bytes, \(rooms.weight) of them nodes")
for path in [["rooms"], ["rooms", "room7"]] as [[TreeKey]] {
    let runs = try (0..<5).map { _ in try restart(path) }
    let times = runs.map { text($0.milliseconds) }.joined(separator: ", ")
    print("a restart to the first events of /\(path.joined): \(times) ms, \(runs[0].events) events")
}
