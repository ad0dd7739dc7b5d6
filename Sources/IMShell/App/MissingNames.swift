import Foundation

/// The names that an app uses and nothing declares, with the nearest names of the vendor's modules.
package struct MissingNames {
    /// A line for each name, in the order of the compiler's errors or of the names.
    package private(set) var lines: [String] = []

    /// Finds missing names in the output of a build.
    package init(buildOutput: String, _ names: ModuleNames) {
        var known: Set<String> = []
        for line in buildOutput.split(separator: "\n") {
            guard let found = Self.error(in: line), known.insert("\(found.type ?? "").\(found.name)").inserted else {
                continue
            }
            let place = "(\(found.place))"
            guard let type = found.type else {
                lines.append("'\(found.name)' \(place): \(Self.hint(for: found.name, names))")
                continue
            }
            guard names.hasType(type) else { continue }
            let hint = names.nearest(to: found.name, of: type).map { "the nearest name is '\($0)'" }
            lines.append("'\(found.name)' of '\(type)' \(place): \(hint ?? "no name of it is near")")
        }
    }

    /// Finds missing names in an app's files: names with a vendor's prefix that neither the app nor the module has.
    package init(texts: [String], prefixes: [String], _ names: ModuleNames) {
        guard !names.isEmpty, !prefixes.isEmpty else { return }
        var used: Set<String> = []
        var declared: Set<String> = []
        for text in texts {
            for line in text.split(separator: "\n") {
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                for words in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }) {
                    // After a dot is a member.
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

    /// A name in an error of the compiler; the type is nil for a name that no scope has.
    private static func error(in line: Substring) -> (name: String, type: String?, place: String)? {
        let place = #/^(?:.*\/)?([^\/:]+:\d+):\d+: error: (.*)$/#
        guard let found = line.firstMatch(of: place) else { return nil }
        let text = found.output.2
        if let name = text.firstMatch(of: #/^cannot find (?:type )?'(\w+)' in scope/#) {
            return (String(name.output.1), nil, String(found.output.1))
        }
        let member = #/type '([^']+)'(?: \(aka '([^']+)'\))? has no (?:\w+ )*member '(\w+)/#
        guard let parts = text.firstMatch(of: member) else { return nil }
        // Of 'any ZIM.ZIMEventHandler?' the last word counts.
        let words = (parts.output.2 ?? parts.output.1).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let type = words.last(where: { $0 != "Type" }) else { return nil }
        return (String(parts.output.3), String(type), String(found.output.1))
    }
}
