import IMClient
import IMProtocol
import IMTree
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMShell

/// Tests of the texts that users type about the tree.
@Suite struct TreeTextTests {
    @Test(arguments: [
        ("true", "true"), ("false", "false"), ("null", "null"), ("7", "7"), ("-2.5", "-2.5"), ("1", "1"), ("0", "0"),
        ("1e3", "1000"), (" 7 ", "7"), (#""7""#, #""7""#), (#""a b""#, #""a b""#), ("{}", "null"), ("[]", "null"),
        (#"{"b": 1, "a": {"d": false, "c": [true, "x"]}}"#, #"{"a":{"c":[true,"x"],"d":false},"b":1}"#),
        (#"{"b": null}"#, "null"), (#"{"b": {"c": []}, "d": 1}"#, #"{"d":1}"#),
        (#"{".sv": "timestamp"}"#, #"{".sv":"timestamp"}"#),
        (#"{".value": 1, ".priority": "p"}"#, #"{".value":1,".priority":"p"}"#),
        (#"{"a": 1, ".priority": 2}"#, #"{"a":1,".priority":2}"#),
        // Keys that are integers come first, ordered by their value.
        (#"{"10": 1, "9": 2, "a": 3}"#, #"{"9":2,"10":1,"a":3}"#),
        // Keys are compared by their Unicode scalars, so capitals precede small letters, in any language.
        (#"{"b": 1, "B": 2, "é": 3, "e": 4}"#, #"{"B":2,"b":1,"e":4,"é":3}"#),
    ])
    func readsJSON(typed: String, value: String) {
        #expect(TreeText.node(typed).text == value)
    }

    @Test(arguments: [
        "hello", "tea time", "True", "1e999", "7 apples", "{a: 1}", "{\"a\": 1", "", "'x'", "nan", "\u{0}", "[1,]]",
    ])
    func takesEverythingElseForText(typed: String) {
        #expect(TreeText.node(typed) == .text(typed))
    }

    @Test func readsListsOfAnyLengthInTheOrderOfTheirKeys() {
        let list = "[" + (0..<12).map(String.init).joined(separator: ",") + "]"
        let node = TreeText.node(list)
        #expect(node.children.map(\.key.text) == (0..<12).map(String.init))
        #expect(node["11"] == .number(11))
    }

    @Test func handlesDeepAndLongValues() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        _ = TreeText.node(deep)
        _ = TreeText.node(String(repeating: #"{"a":"#, count: 400) + "1" + String(repeating: "}", count: 400))
        #expect(TreeText.node(String(repeating: "a", count: 100_000)).text.count == 100_002)
    }

    @Test(arguments: [
        ("a/b", "a/b"), ("/a/b/", "a/b"), ("//a//", "a"), ("/", ""), ("", ""), ("a//b", "a//b"),
        (".info/connected", ".info/connected"), ("a b/c", "a b/c"), ("/\u{301}a", "\u{301}a"),
    ])
    func takesSlashesOffAtBothEnds(typed: String, path: String) {
        // Compared by scalars, because the machines treat a combining mark after a slash as a separate key.
        #expect(Array(TreeText.path(typed).unicodeScalars) == Array(path.unicodeScalars))
    }

    @Test func anUpdateTakesOnlyChildren() throws {
        for text in ["5", "hello", "true", "null"] {
            #expect(throws: CommandFailure.self) { try TreeText.command(.update(text), at: "a") }
            #expect(throws: CommandFailure.self) { try TreeText.command(.onDisconnectUpdate(text), at: "a") }
        }
        #expect(
            try TreeText.command(.update(#"{"b": null}"#), at: "/a")
                == .update(path: "a", TreeUpdate(.parts(["b": .null]))))
        #expect(
            try TreeText.command(.update(#"{"/b/c": 1, "a": {"x": null}}"#), at: "/")
                == .update(path: "", TreeUpdate(.parts(["a": .null, "b/c": .number(1)]))))
    }

    @Test func buildsTheTypedQuery() throws {
        #expect(try TreeText.command(.set("1", priority: nil), at: "a") == .set(path: "a", .number(1)))
        #expect(try TreeText.command(.remove, at: "a") == .set(path: "a", .null))
        #expect(try TreeText.command(.get(TreeQueryArguments()), at: "a") == .get(path: "a"))
        #expect(try TreeText.command(.on(TreeQueryArguments(), events: []), at: "a") == .listen(path: "a"))
        #expect(try TreeText.command(.off(TreeQueryArguments()), at: "a") == .unlisten(path: "a"))
        #expect(
            try TreeText.command(.on(TreeQueryArguments(), events: ["child-added", "value"]), at: "a")
                == .listen(path: "a", TreeListening(.all, kinds: [.childAdded, .value])))
        #expect(try TreeText.command(.priority("7"), at: "/") == .set(path: ".priority", .number(7)))
        #expect(try TreeText.command(.priority("null"), at: "a") == .set(path: "a/.priority", .null))
        #expect(
            try TreeText.command(.set("1", priority: "x"), at: "a")
                == .set(path: "a", TreeNode(.number(1), priority: .text("x"))))
        #expect(try TreeText.command(.push("1", priority: nil), at: "a") == .push(path: "a", .number(1)))
        #expect(
            try TreeText.command(.transaction("value + 1", isHidden: true), at: "a")
                == .transaction(path: "a", TransactionExpression("value + 1"), isHidden: true))
        #expect(try TreeText.command(.onDisconnectSet("x"), at: "a") == .onDisconnect(path: "a", .text("x")))
        #expect(try TreeText.command(.onDisconnectRemove, at: "a") == .onDisconnect(path: "a", .null))
        #expect(try TreeText.command(.onDisconnectCancel, at: "a") == .cancelOnDisconnect(path: "a"))
    }

    @Test(arguments: [
        (TreeQueryArguments(), ""), (TreeQueryArguments(order: "priority"), ""),
        (TreeQueryArguments(order: "key"), "--order-by key"),
        (TreeQueryArguments(order: "child=a/b", last: 4), "--order-by child=a/b --last 4"),
        (
            TreeQueryArguments(order: "value", first: 1, from: "3", to: "true"),
            "--order-by value --first 1 --from 3 --to true"
        ),
        (TreeQueryArguments(order: "key", equal: "7"), "--order-by key --equal \"7\""),
        (TreeQueryArguments(from: "x,k"), "--from \"x\",k"), (TreeQueryArguments(from: "\"x,k\""), "--from \"x,k\""),
    ])
    func asksForChildren(words: TreeQueryArguments, text: String) throws {
        let query = try TreeText.query(words)
        #expect(query.description == text)
    }

    @Test(arguments: [
        TreeQueryArguments(order: "score"), TreeQueryArguments(order: "child="),
        TreeQueryArguments(order: "child=a//b"),
        TreeQueryArguments(first: 1, last: 1), TreeQueryArguments(first: 0), TreeQueryArguments(last: -1),
        TreeQueryArguments(from: "1", equal: "1"), TreeQueryArguments(from: "{\"a\": 1}"),
        TreeQueryArguments(order: "key", from: "a.b"),
    ])
    func refusesWhatIsNoQuery(words: TreeQueryArguments) {
        let error = #expect(throws: CommandFailure.self) { try TreeText.query(words) }
        #expect((error?.message ?? "").count > 10)
    }

    @Test func refusesInvalidPrioritiesEventsAndExpressions() {
        for text in ["true", "{\"a\": 1}", "[1]"] {
            #expect(throws: CommandFailure.self) { try TreeText.command(.priority(text), at: "a") }
        }
        #expect(throws: CommandFailure.self) {
            try TreeText.command(.on(TreeQueryArguments(), events: ["added"]), at: "a")
        }
        #expect(throws: CommandFailure.self) { try TreeText.command(.transaction("value +", isHidden: false), at: "a") }
    }
}
