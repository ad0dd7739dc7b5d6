import IMProtocol
import SansIO
import Testing

@Suite struct TreeValueTests {
    @Test("a path is keys joined by /, whoever wrote one at its ends")
    func paths() throws {
        #expect(try #require(TreePath("/a/b/")).keys == ["a", "b"])
        #expect(TreePath("a/b")?.text == "a/b")
        for root in ["", "/", "//"] { #expect(TreePath(root) == .root) }
        for path in ["a//b", "//a", "a//", "///"] { #expect(TreePath(path) == nil, "\(path)") }
        // A combining mark is a key of its own, not part of the slash before it.
        #expect(TreePath("a/\u{301}b")?.keys.count == 2)
        #expect(TreePath(".info/connected")?.isInfo == true)
        #expect(TreePath("a/.info") == nil)
    }

    @Test("places meet when one is above the other, by keys and not by letters")
    func meeting() throws {
        let path = try #require(TreePath("a/b"))
        for other in ["", "a", "a/b", "a/b/c"] { #expect(path.meets(try #require(TreePath(other)))) }
        for other in ["b", "a/bc", "a/c/b", "ab"] { #expect(!path.meets(try #require(TreePath(other)))) }
        #expect(path.keys(below: .root)?.count == 2)
        #expect(TreePath.root.keys(below: path) == nil)
    }

    @Test("setting and reading agree, nothing empty stays, and neither order nor way matters")
    func setting() {
        var random = SeededRandom(seed: 11)
        var value = TreeValue.null
        var model: [[String]: TreeValue] = [:]
        for _ in 0..<3000 {
            let keys = (0..<1 + random.below(4)).map { _ in "k\(random.below(3))" }
            let leaf: TreeValue = random.below(3) == 0 ? .null : .number(Double(random.below(9)))
            value = value.setting(keys[...], to: leaf)
            if leaf == .null {
                model = model.filter { !$0.key.starts(with: keys) }
            } else {
                model = model.filter { !$0.key.starts(with: keys) && !keys.starts(with: $0.key) }
                model[keys] = leaf
            }
            #expect(value.isTidy)
            #expect(value == model.reduce(.null) { $0.setting($1.key[...], to: $1.value) })
            for (keys, leaf) in model { #expect(value[keys[...]] == leaf) }
        }
    }

    @Test("a request is put in order: keys sorted, the last of two counts, nulls dropped where they mean nothing")
    func requests() throws {
        let messy = TreeValue.children([
            TreeChild("b", .number(1)), TreeChild("a", .null), TreeChild("b", .number(2)),
            TreeChild("c", .children([TreeChild("x", .null)])),
        ])
        let set = try CheckedTreeRequest(.set(path: "/p/", messy))
        #expect(set.request == .set(path: "p", .children([TreeChild("b", .number(2))])))
        let update = try CheckedTreeRequest(.update(path: "p", messy))
        #expect(update.changes.map(\.path.text) == ["p/a", "p/b", "p/c"])
        #expect(update.changes.map(\.value) == [.null, .number(2), .null])
        // What goes over the wire is read there as it was meant here.
        for request in [set.request, update.request] {
            let frame = try Frame(bytes: Frame(request: 1, .tree(request)).bytes())
            #expect(frame.body == .tree(request))
            #expect(try CheckedTreeRequest(request).request == request)
        }
    }

    @Test("a value deeper than any tree is refused and not followed down")
    func depth() {
        var value = TreeValue.bool(true)
        for _ in 0..<5000 { value = .children([TreeChild("k", value)]) }
        #expect(throws: TreeRefusal.self) { try CheckedTreeRequest(.set(path: "a", value)) }
        #expect(!value.isTidy)
    }
}
