import Foundation
import IMTree

// How the tree grows: what one change costs below a listener and in a window of 100, for 1,000 to 1,000,000 children; how
// many local sets a second; and how much memory a child takes.
//
//     swift run -c release --package-path Benchmarks Tree

func microseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = ContinuousClock.now
    for index in 0..<count { body(index) }
    let taken = (ContinuousClock.now - start).components
    return (Double(taken.seconds) * 1e6 + Double(taken.attoseconds) / 1e12) / Double(count)
}

func text(_ value: Double) -> String { String(format: "%.1f", value) }

/// The memory that this process has now, in bytes.
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
    _ = all.hear(node, at: ["list"])
    let below = microseconds(10_000) { index in
        _ = all.hear(TreeNode(.number(Double(index))), at: ["list", key(index &* 7919 % count), "score"])
    }

    var seen = SyncTree()
    _ = seen.listen(listener, to: .all, at: ["list"])
    _ = seen.hear(node, at: ["list"])
    let begun = microseconds(1) { _ in _ = seen.listen(TreeListenerID(rawValue: 2), to: window, at: ["list"]) }
    let slides = microseconds(10_000) { index in
        // In, out, and beside the window.
        let score = index % 3 == 0 ? count + index : index % 3 == 1 ? -index : count / 2
        _ = seen.hear(TreeNode(.number(Double(score))), at: ["list", key(index &* 7919 % count), "score"])
    }

    var server = TreeServer(TreeNode.empty.setting("list", to: node))
    _ = server.listen(TreeListen(number: 1, place: ["list"], query: window), by: TreeClientID(rawValue: 1))
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
_ = tree.hear(children(1_000), at: ["list"])
let sets = microseconds(20_000) { index in
    _ = tree.write(
        TreeWrite(id: UInt64(index), at: ["list", key(index % 1_000), "score"], .set(TreeNode(.number(Double(index))))))
}
let acknowledged = microseconds(20_000) { index in _ = tree.acknowledge(UInt64(index), isRevert: false) }
print("\n\(Int(1e6 / sets)) local sets a second with a listener, none acknowledged")
print("\(Int(1e6 / acknowledged)) acknowledgements a second behind them")
