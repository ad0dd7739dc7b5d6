import Foundation

/// The names that an app uses but that are not declared anywhere, each with the nearest name of the vendor's modules.
package struct MissingNames {
    /// One line for each missing name, in the order of the compiler's errors, or sorted by name if there are none.
    package private(set) var lines: [String] = []

    /// Finds missing names in the output of a build.
    package init(buildOutput: String, _ names: ModuleNames) {
        var reported: Set<String> = []
        for line in buildOutput.split(separator: "\n") {
            guard let found = Self.error(in: line), reported.insert("\(found.type ?? "").\(found.name)").inserted else {
                continue
            }
            let location = "(\(found.location))"
            guard let type = found.type else {
                lines.append("'\(found.name)' \(location): \(Self.hint(for: found.name, names))")
                continue
            }
            guard names.hasType(type) else { continue }
            let hint = names.nearest(to: found.name, of: type).map { "the nearest name is '\($0)'" }
            lines.append("'\(found.name)' of '\(type)' \(location): \(hint ?? "no name of it is near")")
        }
    }

    /// Finds missing names in an app's files: names with a vendor's prefix that neither the app nor the module
    /// declares.
    package init(texts: [String], prefixes: [String], _ names: ModuleNames) {
        guard !names.isEmpty, !prefixes.isEmpty else { return }
        var used: Set<String> = []
        var declared: Set<String> = []
        for text in texts {
            for line in text.split(separator: "\n") {
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                for words in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }) {
                    // Only the part before the first dot is compared; a member name follows after a dot.
                    let word = words.prefix { $0 != "." }
                    let isOfVendor = prefixes.contains { prefix in
                        word.hasPrefix(prefix) && word.dropFirst(prefix.count).first?.isUppercase == true
                    }
                    if isOfVendor { used.insert(String(word)) }
                }
            }
            for found in text.matches(
                of: #/(?:class|struct|enum|protocol|typealias|extension|case|func|var|let) (\w+)/#)
            {
                declared.insert(String(found.output.1))
            }
        }
        lines = used.subtracting(declared).subtracting(names.topLevel).sorted().map { name in
            names.nearest(to: name).map { "'\(name)': the nearest name is '\($0)'" } ?? "'\(name)': no name is near"
        }
    }

    private static func hint(for name: String, _ names: ModuleNames) -> String {
        if let nearest = names.nearest(to: name) { return "the nearest name is '\(nearest)'" }
        return "not of the SDK; link the file that declares it into App, or write a stub"
    }

    /// The missing name in an error of the compiler. `type` is the type that lacks this member; nil if the name is not
    /// a member.
    private static func error(in line: Substring) -> (name: String, type: String?, location: String)? {
        let location = #/^(?:.*\/)?([^\/:]+:\d+):\d+: error: (.*)$/#
        guard let found = line.firstMatch(of: location) else { return nil }
        let text = found.output.2
        if let name = text.firstMatch(of: #/^cannot find (?:type )?'(\w+)' in scope/#) {
            return (String(name.output.1), nil, String(found.output.1))
        }
        let member = #/type '([^']+)'(?: \(aka '([^']+)'\))? has no (?:\w+ )*member '(\w+)/#
        guard let parts = text.firstMatch(of: member) else { return nil }
        // The type name is the last word of a type such as 'any ZIM.ZIMEventHandler?'.
        let words = (parts.output.2 ?? parts.output.1).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let type = words.last(where: { $0 != "Type" }) else { return nil }
        return (String(parts.output.3), String(type), String(found.output.1))
    }
}
