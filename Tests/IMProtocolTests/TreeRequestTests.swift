import IMProtocol
import IMTree
import TestSupport
import Testing

@Suite struct TreeRequestTests {
    @Test("a path is keys joined by /; slashes at its ends are ignored")
    func paths() throws {
        #expect(try #require(TreePath("/a/b/")).keys == ["a", "b"])
        #expect(TreePath("a/b")?.text == "a/b")
        for root in ["", "/", "//"] { #expect(TreePath(root) == .root) }
        for path in ["a//b", "//a", "a//", "///"] { #expect(TreePath(path) == nil, "\(path)") }
        // A combining mark after a slash is part of the key and does not combine with the slash.
        #expect(TreePath("a/\u{301}b")?.keys.count == 2)
        #expect(TreePath(".info/connected")?.isInfo == true)
        #expect(TreePath("a/.info") == nil)
    }

    @Test("paths overlap if one is a prefix of the other, by keys and not by letters")
    func meeting() throws {
        let path = try #require(TreePath("a/b"))
        for other in ["", "a", "a/b", "a/b/c"] { #expect(path.meets(try #require(TreePath(other)))) }
        for other in ["b", "a/bc", "a/c/b", "ab"] { #expect(!path.meets(try #require(TreePath(other)))) }
        #expect(path.keys(below: .root)?.count == 2)
        #expect(TreePath.root.keys(below: path) == nil)
    }

    @Test("a request is checked: a path is normalized, and parts do not overlap")
    func requests() throws {
        let node = TreeNode.children([("b", .number(2)), ("c", TreeNode(.text("x"), priority: .number(1)))])
        let set = try CheckedTreeRequest(.set(path: "/p/", node))
        #expect(set.request == .set(path: "p", node))
        #expect(set.change == .set(node))
        let parts: [TreeWrite.Part] = .parts(["a": .null, "b/x": .number(2), "c/.priority": .text("p")])
        let update = try CheckedTreeRequest(.update(path: "p/", parts))
        #expect(update.change == .update(parts))
        // The receiver decodes an equal request.
        for request in [set.request, update.request] {
            let frame = try Frame(bytes: Frame(request: 1, .tree(request)).bytes())
            #expect(frame.body == .tree(request))
            #expect(try CheckedTreeRequest(request).request == request)
        }
    }

    @Test("the estimated size of a request is at least a quarter of its frame")
    func weights() throws {
        let long = String(repeating: "x", count: 5_000)
        let node = TreeNode.children([(long, TreeNode(.text(long), priority: .text(long)))])
        let parts = (0..<50).map { TreeWrite.Part(["k", TreeKey("\($0)")], .number(1)) }
        let bound = TreeQuery.Bound(.text(long), key: TreeKey(long))
        var query = TreeQuery()
        query.order = .child([TreeKey(long), TreeKey(long)])
        (query.start, query.end) = (bound, bound)
        query.limit = TreeQuery.Limit(.last, 7)
        let hash = TreeHash(rawValue: .max)
        let requests: [TreeRequest] = [
            .set(path: long, node), .update(path: "p", parts), .transaction(path: "p", node, over: hash),
            .get(path: "p", query), .listen(path: "", query, number: .max, hash: hash), .listen(path: "", number: 1),
            .unlisten(path: long, number: .max), .onDisconnect(path: "p", node),
            .onDisconnectUpdate(path: long, parts), .cancelOnDisconnect(path: long),
        ]
        for request in requests {
            let frame = Frame(request: .max, .tree(request), page: .max)
            #expect(4 * frame.estimatedBytes >= frame.bytes().count, "\(request.name)")
        }
    }

    @Test("overlapping, misplaced or empty parts are refused, thousands of them quickly")
    func overlaps() throws {
        let one = TreeNode.number(1)
        let bad: [KeyValuePairs<String, TreeNode>] = [
            [:], ["a": one, "a": one], ["a/b": one, "a": one], ["a/b/c": one, "x": one, "a": .null], ["": one],
            ["a.b": one], ["a//b": one],
        ]
        for parts in bad {
            #expect(throws: TreeRefusal.self, "\(parts)") { try CheckedTreeRequest(.update(path: "p", .parts(parts))) }
        }
        let many = (0..<20_000).map { TreeWrite.Part(["k", TreeKey("\($0)")], one) }
        #expect(try CheckedTreeRequest(.update(path: "", many)).change == .update(many))
        #expect(throws: TreeRefusal.self) {
            try CheckedTreeRequest(.update(path: "", many + [TreeWrite.Part(["k"], one)]))
        }
    }

    @Test("a priority is a leaf, and cannot be read or listened to")
    func priorities() throws {
        let set = try CheckedTreeRequest(.set(path: "a/.priority", .number(1)))
        #expect(set.path.isPriority)
        _ = try CheckedTreeRequest(.set(path: "a/.priority", .null))
        let refused: [TreeRequest] = [
            .set(path: "a/.priority", .children([("b", .null), ("c", .number(1))])), .get(path: "a/.priority"),
            .set(path: "a/.priority", TreeNode(.number(1), priority: .number(2))),
            .listen(path: "a/.priority", number: 1), .set(path: ".info/connected", .bool(true)),
            .update(path: "a/.priority", .parts(["b": .number(1)])),
        ]
        for request in refused {
            let refusal = #expect(throws: TreeRefusal.self, "\(request)") { try CheckedTreeRequest(request) }
            #expect(refusal?.status == .invalidArgument)
        }
    }

    @Test("a large answer is split into pages that fit into frames, and is joined unchanged")
    func pages() throws {
        let wide = TreeNode.children((0..<3000).map { ("key-\($0)", .text("a value that fills \($0)")) })
        let long = TreeNode(.text(String(repeating: "长 text ", count: 20_000)), priority: .number(2))
        let deep = TreeNode.children([("a", wide.setting(.priority, to: .text("p"))), ("b", long), ("c", .number(1))])
        let nested = TreeNode.children([("a", deep.setting(.priority, to: .text("q")))])
            .setting(.priority, to: .number(7))
        for node in [TreeNode.null, .number(1), wide, long, deep, nested] {
            let frames = TreeRequest.set(path: "a", node).frames(request: 9)
            #expect((frames.count > 1) == (node.weight > 48_000))
            #expect(try joined(frames) == .tree(.set(path: "a", node)))
            let parts = [TreeWrite.Part(["x"], node), TreeWrite.Part(["y", "z"], .null), TreeWrite.Part(["z"], node)]
            let dataFrames = TreeData(listen: 4, path: "p", .update(parts)).frames
            #expect(try joined(dataFrames) == .treeData(TreeData(listen: 4, path: "p", .update(parts))))
        }
    }

    /// The request in a sequence of frames. Each frame is decoded from its bytes.
    private func joined(_ frames: [Frame]) throws -> FrameBody {
        var whole: Frame?
        for frame in frames {
            let bytes = frame.bytes()
            #expect(bytes.count <= ProtocolLimit.frameBytesMax)
            let page = try Frame(bytes: bytes)
            whole = try whole.map { try #require($0.joined(with: page)) } ?? page
        }
        return try #require(whole).body
    }

    @Test("a value that is too deep is refused without following it")
    func depth() {
        var value = TreeNode.bool(true)
        for _ in 0..<5000 { value = .children([("k", value)]) }
        #expect(throws: TreeRefusal.self) { try CheckedTreeRequest(.set(path: "a", value)) }
        #expect(!value.isSound)
    }
}
