import Foundation
import Testing

@testable import IMExport
@testable import IMRepl

/// The dissector contains each message and each field of the schemas.
@Suite struct DissectorMessagesTests {
    @Test func itsMessagesMatchTheSchemas() throws {
        let schemas = [
            ("im.v1", "Sources/IMProtocol/Protos/im/v1/frame.proto"),
            ("imsession.v1", "Sources/IMSession/Protos/imsession/v1/record.proto"),
        ]
        var lines: [String] = []
        for (package, path) in schemas {
            let text = try String(contentsOfFile: "\(SourceTree.root)/\(path)", encoding: .utf8)
            lines += messages(of: text, in: package)
        }
        let known = WiresharkDissector.messages.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(Set(lines).subtracting(known) == [], "the dissector has these otherwise or not at all")
        #expect(Set(known).subtracting(lines) == [], "no schema has these")
    }

    @Test func everyNamedEnumExists() {
        let script = WiresharkDissector.script
        for match in script.matches(of: /enum = "([a-z]+)"/) {
            #expect(script.contains("  [\"\(match.1)\"] = { ["), "there is no enum \(match.1)")
        }
        #expect(
            script.contains(
                """
                ["im.v1.KickNotice"] = { [1] = { name = "reason", type = "uint32", enum = "kick" }
                """))
    }

    /// The messages of a schema in the dissector's form, such as `im.v1.Watch: 1 user string, 2 on bool`.
    private func messages(of schema: String, in package: String) -> [String] {
        var fields: [String: [String]] = [:]
        var scope: [(word: Substring, name: Substring)] = []
        for raw in schema.split(separator: "\n") {
            let line = raw.prefix(upTo: raw.range(of: "//")?.lowerBound ?? raw.endIndex)
            for statement in line.split(whereSeparator: { "{;".contains($0) }) {
                let closings = statement.count { $0 == "}" }
                let words = statement.replacing(#/(repeated|optional) /#, with: "").split { " }".contains($0) }
                var name: String {
                    ([package] + scope.filter { $0.word == "message" }.map { String($0.name) }).joined(separator: ".")
                }
                if words.count == 2, ["message", "enum", "oneof"].contains(words[0]) {
                    scope.append((words[0], words[1]))
                    if words[0] == "message" { fields[name, default: []] += [] }
                } else if words.count == 4, words[2] == "=", scope.last?.word != "enum", !scope.isEmpty {
                    fields[name, default: []].append("\(words[3]) \(words[1]) \(words[0])")
                }
                for _ in 0..<closings where !scope.isEmpty { scope.removeLast() }
            }
        }
        return fields.map { "\($0.key): \($0.value.joined(separator: ", "))".trimmingCharacters(in: .whitespaces) }
    }
}
