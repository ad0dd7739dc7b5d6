import Foundation
import Testing

@testable import Shadows

/// The names that callers write with `?(` are those of the modules' protocols.
@Suite struct OptionalNameTests {
    @Test func allDefaultsOfTheModulesAreListed() throws {
        let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Sources").standardizedFileURL
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        var names: Set<String> = []
        for file in files {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            for match in text.matches(of: /\nextension \w+(Delegate|EventHandler|Listener) \{\n(?<body>(.*\n)*?)\}/) {
                for method in match.body.matches(of: /public func (\w+)/) { names.insert(String(method.1)) }
            }
        }
        #expect(names.count > 50)
        #expect(names.subtracting(vendorsOptionalNames).sorted() == [])
    }
}
