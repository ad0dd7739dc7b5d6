import Foundation
import IMProtocol
import IMSession
import IMSimulation
import IMTree
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMExport

/// Pseudonyms alone: with the original's length, one for each, none equal to another original.
@Suite struct PseudonymTests {
    private func settled(_ names: [String], _ order: PseudonymOrder = .free) -> [Pseudonyms.Entry] {
        let pseudonyms = Pseudonyms(order)
        for name in names { _ = pseudonyms.name(name, .user) }
        pseudonyms.assign()
        return pseudonyms.entries
    }

    @Test func haveTheOriginalsLengthAndAreUnique() {
        let names = ["alice", "bob", "小明", "z", "user1", "user", "a-very-long-name-of-somebody", "us", "x", "xxx"]
        let entries = settled(names)
        #expect(entries.map(\.original) == names)
        for entry in entries {
            #expect(entry.pseudonym.utf8.count == entry.original.utf8.count, "\(entry)")
            #expect(entry.pseudonym.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(entry)")
            #expect(!names.contains(entry.pseudonym), "\(entry)")
            #expect(!names.contains { $0.utf8.count >= 3 && entry.pseudonym.contains($0) }, "\(entry)")
        }
        #expect(Set(entries.map(\.pseudonym)).count == names.count)
    }

    @Test func areReadableAndCounted() {
        #expect(settled(["alice", "bob", "charlie-2"]).map(\.pseudonym) == ["user1", "us2", "user3xxxx"])
    }

    @Test func keepPartsThatMachinesRefuse() throws {
        let pseudonyms = Pseudonyms()
        _ = pseudonyms.text("al\u{7}ice")
        pseudonyms.assign()
        let entry = try #require(pseudonyms.entries.first)
        #expect(entry.pseudonym != entry.original && entry.pseudonym.utf8.count == entry.original.utf8.count)
        #expect(entry.pseudonym.unicodeScalars.contains("\u{7}"))
    }

    @Test func originalsAreFoundAcrossChunks() throws {
        let bytes = Array("so the phone is alice-phone".utf8)
        for cut in 0...bytes.count {
            let search = OriginalSearch(in: MemorySink(), for: ["alice-phone", "bob-pad", "pho"])
            for piece in [bytes[..<cut], bytes[cut...]] { try Array(piece).withUnsafeBytes { try search.write($0) } }
            #expect(search.found == ["alice-phone"], "cut at \(cut)")
        }
    }

    @Test func neverRunOut() {
        let short = (0x21...0x7E).map { String(Unicode.Scalar($0)!) }.filter { !"/.#$[]*".contains($0) }
        let many = (0..<2_000).map { String(1_000 + $0) }
        let entries = settled(short + many)
        #expect(entries.count == short.count + many.count)
        #expect(Set(entries.map(\.pseudonym)).count == entries.count)
        #expect(entries.allSatisfy { $0.pseudonym.utf8.count == $0.original.utf8.count })
        #expect(entries.dropFirst(short.count).allSatisfy { $0.pseudonym != $0.original })
    }

    @Test func sortLikeTheOriginalsIfTheOrderMatters() {
        let names = ["bob", "alice", "z", "小明", "bobby", "al"]
        let entries = settled(names, .kept)
        let sorted = entries.sorted { $0.original < $1.original }.map(\.pseudonym)
        #expect(sorted == sorted.sorted())
        #expect(Set(sorted).count == names.count)
        #expect(entries.allSatisfy { $0.pseudonym.utf8.count == $0.original.utf8.count })
    }

    @Test func keepMeaningfulPartsOfAName() {
        let pseudonyms = Pseudonyms()
        func command(_ text: String) -> String { pseudonyms.action(EnvironmentAction(command: text)).command }
        func all() -> [String] {
            [
                pseudonyms.name("alice/phone-1", .user), pseudonyms.name("a\u{7}lice", .user),
                pseudonyms.identifier("phone-1-0123456789abcdef-13"), pseudonyms.identifier("somebody-elses-id"),
                pseudonyms.identifier("groups-1"), pseudonyms.item("groups 1 of alice"),
                pseudonyms.credential("token-of-alice"), pseudonyms.credential("given-3"),
                pseudonyms.path(".info/connected"), pseudonyms.path("/status/alice"),
                command("net hold sync-done --dir in --count 1"), command("net drop alice"),
                pseudonyms.policy("exclusion", "single").value, pseudonyms.policy("exclusion", "alice").value,
                pseudonyms.word("phone"), pseudonyms.word("alices-mac"), pseudonyms.text("alice"), pseudonyms.text(""),
            ]
        }
        _ = all()
        pseudonyms.assign()
        let alice = "user1"
        #expect(
            all() == [
                "\(alice)/devi1xx".replacing("devi1xx", with: pseudonyms.name("phone-1", .device)),
                pseudonyms.name("a", .user) + "\u{7}" + pseudonyms.name("lice", .user),
                "\(pseudonyms.name("phone-1", .device))-0123456789abcdef-13",
                pseudonyms.name("somebody-elses-id", .id),
                "groups-1", "groups 1 of \(alice)", "token-of-\(alice)", "given-3", ".info/connected",
                "/\(pseudonyms.name("status", .key))/\(alice)", "net hold sync-done --dir in --count 1",
                "net drop \(alice)", "single", alice, "phone", pseudonyms.word("alices-mac"), alice, "",
            ])
        #expect(!pseudonyms.word("alices-mac").contains("alice"))
        #expect(pseudonyms.word("alices-mac").utf8.count == 10)
        #expect(pseudonyms.rewritten("Alice has a phone-1") == "\(alice) has a \(pseudonyms.name("phone-1", .device))")
    }

    /// `bob` is first a text, and later the name of a user. From then on, it is also replaced inside other words. The
    /// user `*` means all users, and is not replaced.
    @Test func recognizeANameThatWasATextBefore() {
        let pseudonyms = Pseudonyms()
        for _ in 0..<2 {
            _ = pseudonyms.text("bob")
            _ = pseudonyms.name("bob", .user)
            #expect(pseudonyms.name("*", .user) == "*")
            #expect(pseudonyms.word("bob-phone").contains("bob") == pseudonyms.entries.isEmpty)
            if pseudonyms.entries.isEmpty { pseudonyms.assign() }
        }
    }

    @Test func keepImpersonalLabels() {
        let pseudonyms = Pseudonyms()
        for label in ["phone", "steven", "mac", "pad"] { _ = pseudonyms.word(label) }
        _ = pseudonyms.text("one")
        _ = pseudonyms.text("mac")
        _ = pseudonyms.name("eve", .user)
        pseudonyms.assign()
        #expect(["phone", "pad"].map(pseudonyms.word) == ["phone", "pad"])
        #expect(["steven", "mac"].map(pseudonyms.word) == ["clien1", "te2"])
    }

    @Test func replaceKeysTextsAndPrioritiesOfTheTree() throws {
        let pushTime = try #require(ChildIDs.milliseconds(of: "-O0abcdefghijklmnopq"))
        let pseudonyms = Pseudonyms(epochMilliseconds: pushTime)
        let node = TreeNode.children([
            ("a", .text("online")), ("bob", .number(7)), ("-O0abcdefghijklmnopq", .bool(true)),
            ("z", .children([("k", TreeNode(.bool(true), priority: .text("first")))])),
        ])
        let query = TreeQuery(order: .child(["bob"]), start: .init(.text("online"), key: "a"), limit: .init(.last, 3))
        let byKey = TreeQuery(order: .key, end: .init(.text("bob")))
        let expression = try TransactionExpression(
            #"if value/bob == "online" then {"z": value + 1, "own": "carol"} else abort"#)
        func all() -> String {
            "\(pseudonyms.node(node)) \(pseudonyms.query(query)) \(pseudonyms.query(byKey)) "
                + "\(pseudonyms.expression(expression).text) \(pseudonyms.path("a/bob/.priority"))"
        }
        _ = all()
        pseudonyms.assign()
        let (a, bob, z) = (pseudonyms.name("a", .key), pseudonyms.name("bob", .key), pseudonyms.name("z", .key))
        let (k, own) = (pseudonyms.name("k", .key), pseudonyms.name("own", .key))
        let (online, first, carol) = (pseudonyms.text("online"), pseudonyms.text("first"), pseudonyms.text("carol"))
        #expect(pseudonyms.node(node)[TreeKey(a)] == .text(online))
        #expect(pseudonyms.node(node)[TreeKey(bob)] == .number(7))
        // The time of an addition is not personal.
        #expect(pseudonyms.node(node)["-O0abcdefghijklmnopq"] == .bool(true))
        #expect(pseudonyms.node(node)[TreeKey(z)][TreeKey(k)] == TreeNode(.bool(true), priority: .text(first)))
        #expect(
            pseudonyms.query(query)
                == TreeQuery(
                    order: .child([TreeKey(bob)]), start: .init(.text(online), key: TreeKey(a)), limit: .init(.last, 3))
        )
        #expect(pseudonyms.query(byKey) == TreeQuery(order: .key, end: .init(.text(bob))))
        #expect(
            pseudonyms.expression(expression).text
                == #"if value/\#(bob) == "\#(online)" then { "\#(z)" : value + 1 , "\#(own)" : "\#(carol)" } else abort"#
        )
        #expect(pseudonyms.path("a/bob/.priority") == "\(a)/\(bob)/.priority")
        for original in ["bob", "online", "first", "carol"] { #expect(!all().contains(original)) }
    }

    @Test func keepTheOrderOfKeysAndValuesIfItMatters() {
        let pseudonyms = Pseudonyms(.kept)
        let keys = ["10", "9", "alice", "-1", "Bob", "7"]
        for key in keys { _ = pseudonyms.name(key, .key) }
        pseudonyms.assign()
        let sorted = keys.map { TreeKey($0) }.sorted()
        let others = sorted.map { TreeKey(pseudonyms.name($0.text, .key)) }
        #expect(others == others.sorted())
        #expect(Set(others).isDisjoint(with: sorted))
    }
}
