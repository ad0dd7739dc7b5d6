import IMProtocol
import Testing

@testable import IMCommands
@testable import IMRepl
@testable import IMScript
@testable import IMShell

/// What is typed about the tree.
@Suite struct TreeTextTests {
    @Test(arguments: [
        ("true", "true"), ("false", "false"), ("null", "null"), ("7", "7"), ("-2.5", "-2.5"), ("1", "1"), ("0", "0"),
        ("1e3", "1000"), (" 7 ", "7"), (#""7""#, #""7""#), (#""a b""#, #""a b""#), ("{}", "{}"), ("[]", "{}"),
        (#"{"b": 1, "a": {"d": false, "c": [true, "x"]}}"#, #"{"a":{"c":{"0":true,"1":"x"},"d":false},"b":1}"#),
        (#"{"b": null}"#, #"{"b":null}"#),
        // Capitals before small letters, as scalars stand; no language has a say.
        (#"{"b": 1, "B": 2, "é": 3, "e": 4}"#, #"{"B":2,"b":1,"e":4,"é":3}"#),
    ])
    func readsJSON(typed: String, value: String) {
        #expect(TreeText.value(typed).text == value)
    }

    @Test(arguments: [
        "hello", "tea time", "True", "1e999", "7 apples", "{a: 1}", "{\"a\": 1", "", "'x'", "nan", "\u{0}", "[1,]]",
    ])
    func takesEverythingElseForText(typed: String) {
        #expect(TreeText.value(typed) == .text(typed))
    }

    @Test func readsListsOfAnyLengthInTheOrderOfTheirKeys() {
        let list = "[" + (0..<12).map(String.init).joined(separator: ",") + "]"
        guard case .children(let children) = TreeText.value(list) else { return #expect(Bool(false)) }
        #expect(children.map(\.key) == (0..<12).map(String.init).sorted())
        #expect(children.first { $0.key == "11" }?.value == .number(11))
    }

    @Test func survivesWhatIsDeepOrLong() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        _ = TreeText.value(deep)
        _ = TreeText.value(String(repeating: #"{"a":"#, count: 400) + "1" + String(repeating: "}", count: 400))
        #expect(TreeText.value(String(repeating: "a", count: 100_000)).text.count == 100_002)
    }

    @Test(arguments: [
        ("a/b", "a/b"), ("/a/b/", "a/b"), ("//a//", "a"), ("/", ""), ("", ""), ("a//b", "a//b"),
        (".info/connected", ".info/connected"), ("a b/c", "a b/c"), ("/\u{301}a", "\u{301}a"),
    ])
    func takesSlashesOffAtBothEnds(typed: String, path: String) {
        // By scalars, since a mark behind a slash is the same text to no core.
        #expect(Array(TreeText.path(typed).unicodeScalars) == Array(path.unicodeScalars))
    }

    @Test func anUpdateTakesChildrenAndNothingElse() throws {
        for text in ["5", "hello", "true", "null"] {
            #expect(throws: CommandFailure.self) { try TreeText.request(.update(text), at: "a") }
            #expect(throws: CommandFailure.self) { try TreeText.request(.onDisconnectUpdate(text), at: "a") }
        }
        #expect(
            try TreeText.request(.update(#"{"b": null}"#), at: "/a")
                == .update(path: "a", .children([TreeChild("b", .null)])))
    }

    @Test func asksForWhatWasTyped() throws {
        #expect(try TreeText.request(.set("1"), at: "a") == .set(path: "a", .number(1)))
        #expect(try TreeText.request(.remove, at: "a") == .set(path: "a", .null))
        #expect(try TreeText.request(.get, at: "a") == .get(path: "a"))
        #expect(try TreeText.request(.on, at: "a") == .listen(path: "a"))
        #expect(try TreeText.request(.off, at: "a") == .unlisten(path: "a"))
        #expect(
            try TreeText.request(.onDisconnectSet("x"), at: "a") == .onDisconnect(path: "a", .text("x"), merges: false))
        #expect(
            try TreeText.request(.onDisconnectRemove, at: "a") == .onDisconnect(path: "a", .null, merges: false))
        #expect(try TreeText.request(.onDisconnectCancel, at: "a") == .cancelOnDisconnect(path: "a"))
    }
}
