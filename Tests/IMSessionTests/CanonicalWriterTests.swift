import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import Testing

@testable import IMSession

/// Canonical JSON equals the output of Foundation with sorted keys and unescaped slashes, so recordings by both are
/// equal.
@Suite struct CanonicalWriterTests {
    private struct Numbers: Codable {
        var least = Int64.min, most = UInt64.max, small = UInt8(7), yes = true, no = false
        var doubles = [0, -0.0, 1.5, 3, 0.1 + 0.2, 1e-7, 1e300, -123_456_789_012_345_680, .pi]
        var float = Float(0.1)
    }

    private struct Texts: Codable {
        var each = (0..<0x180).compactMap { UnicodeScalar($0).map { "a\($0)" } } + ["", "\u{2028}", "👩‍👩‍👧", "e\u{301}"]
        var absent: String?
        var missing: [String?] = [nil, "", nil]
    }

    private enum Choice: Codable {
        case none
        case one(Int?)
        case named(x: String, [Choice])
    }

    private struct Nothing: Codable {}

    private struct Mixed: Codable {
        // The properties are not in alphabetical order, and some keys are prefixes of others.
        var z = Choice.named(x: "x", [.none, .one(nil), .one(3), .named(x: "", [])])
        var aB = 2, ab = 3, a = 4, _0 = 5
        var byName = ["é": 1, "z": 2, "Z": 9, "a": 3, "a!": 4, "a\"": 5, "a#": 6, "": 7, "e\u{301}x": 8]
        var byNumber = [3: "x", 10: "y", -1: "z"]
        var nothing = Nothing(), lists: [[Int]] = [[], [1], []], empty: [String: Int] = [:]
        var numbers = Numbers(), texts = Texts()
    }

    /// A value that fills its containers in another order than it creates them, and encodes one key twice.
    private struct Unruly: Encodable {
        enum Keys: String, CodingKey {
            case last, first, middle
        }

        func encode(to encoder: any Encoder) throws {
            var keys = encoder.container(keyedBy: Keys.self)
            var last = keys.nestedUnkeyedContainer(forKey: .last)
            var first = keys.nestedContainer(keyedBy: Keys.self, forKey: .first)
            try last.encode("a")
            try keys.encode(1, forKey: .middle)
            try first.encodeNil(forKey: .middle)
            var inner = last.nestedContainer(keyedBy: Keys.self)
            try keys.encode(2, forKey: .middle)
            try inner.encode([1], forKey: .first)
            try last.encodeNil()
        }
    }

    private func expectSame(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
        #expect(String(decoding: try CanonicalJSON.encode(value), as: UTF8.self) == expected)
    }

    @Test func `values of every kind are written as Foundation does`() throws {
        try expectSame(Mixed())
        try expectSame(Unruly())
        try expectSame([Mixed(), Mixed()])
        try expectSame(Choice.none)
        try expectSame([Int]())
        try expectSame("a/\"b\"")
    }

    @Test func `so are the values in recordings`() throws {
        for command in SchemaTests.clientCommands + SchemaTests.laterClientCommands { try expectSame(command) }
        for command in SchemaTests.serverCommands { try expectSame(command) }
        try expectSame(ClientNotification.treeValue(path: "a/b", SchemaTests.tree))
        for dialect in Dialects.all {
            try expectSame(NodeMachine.server(ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: .min)))
            let client = ClientMachine(policy: dialect.clientPolicy, device: SchemaTests.device, seed: .max)
            try expectSame(NodeMachine.client(client))
        }
    }

    @Test func `numbers that JSON cannot represent are refused`() {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try CanonicalJSON.encode([value]) }
        }
    }
}
