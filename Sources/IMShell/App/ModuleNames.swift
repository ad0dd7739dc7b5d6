import Foundation
import IMText

/// The public names of a vendor's module in Packages/VendorSDKs, read from the module's sources.
package struct ModuleNames {
    /// The names of the module's types, functions and constants.
    package private(set) var topLevel: Set<String> = []
    private var members: [String: Set<String>] = [:]
    /// The names of the superclass and the protocols of each type.
    private var supertypes: [String: [String]] = [:]
    private var aliases: [String: String] = [:]

    /// Reads the names of modules, and of the modules that they export.
    ///
    /// - Parameter package: the path of Packages/VendorSDKs.
    package init(of modules: [String], in package: String) {
        var waiting = modules
        var known: Set<String> = []
        while let module = waiting.popLast() {
            let folder = "\(package)/Sources/\(module)"
            guard known.insert(module).inserted, let files = FileManager.default.enumerator(atPath: folder) else {
                continue
            }
            for case let file as String in files where file.hasSuffix(".swift") {
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
                let text = String(decoding: data, as: UTF8.self)
                add(text)
                waiting += text.matches(of: #/(?m)^@_exported import (\w+)$/#).map { String($0.output.1) }
            }
        }
    }

    /// Reads the names that a file declares, from the text of the file.
    package init(text: String) { add(text) }

    // Relies on formatted sources: a declaration without indentation belongs to the module, a declaration after four
    // spaces is a member of a type.
    private mutating func add(_ text: String) {
        var type: String?
        var isProtocol = false
        for line in text.split(separator: "\n") {
            if let found = line.firstMatch(
                of:
                    #/^(?:@\w+ |public |open |final |indirect )*(?:class|struct|enum|protocol|extension|actor) (?:\w+\.)*(\w+)(?:<.*>)?(?:: ([^{]*))?/#
            ) {
                let name = String(found.output.1)
                type = name
                isProtocol = line.contains("protocol ")
                if Self.isPublic(line) { topLevel.insert(name) }
                let inherited = (found.output.2 ?? "").split(separator: ",").compactMap { part in
                    part.split(separator: " ").last.map(String.init)
                }
                supertypes[name, default: []] += inherited
            } else if let found = line.firstMatch(
                of:
                    #/^(?:@\w+ |nonisolated\(unsafe\) )*public (?:nonisolated\(unsafe\) )?(?:let|var|func|typealias) (\w+)(?: = (\w+)$)?/#
            ) {
                topLevel.insert(String(found.output.1))
                if let target = found.output.2 { aliases[String(found.output.1)] = String(target) }
            } else if line.hasPrefix("    "), !line.hasPrefix("     "), let type {
                members[type, default: []].formUnion(
                    Self.declared(in: line.dropFirst(4), ofProtocol: isProtocol))
            }
        }
    }

    /// True for a declaration that is `public` or `open`.
    private static func isPublic(_ line: Substring) -> Bool { line.contains("public ") || line.contains("open ") }

    private static func declared(in line: Substring, ofProtocol isProtocol: Bool) -> [String] {
        if line.hasPrefix("case ") {
            return line.dropFirst(5).split(separator: ",").compactMap { part in
                part.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.first.map(String.init)
            }
        }
        guard isProtocol || isPublic(line) else { return [] }
        let found = line.firstMatch(
            of: #/^(?:[\w@()]+ )*?(?:func|var|let|typealias|class|struct|enum) (?!func|var)`?(\w+)/#)
        return found.map { [String($0.output.1)] } ?? []
    }

    // MARK: Queries

    package var isEmpty: Bool { topLevel.isEmpty }

    /// True if the module declares or extends the type.
    package func hasType(_ type: String) -> Bool {
        topLevel.contains(type) || members[aliases[type] ?? type] != nil
    }

    /// The names of the members of a type and of its supertypes.
    package func members(of type: String) -> Set<String> {
        var names: Set<String> = []
        var waiting = [type]
        var known: Set<String> = []
        while let next = waiting.popLast() {
            let type = aliases[next] ?? next
            guard known.insert(type).inserted else { continue }
            names.formUnion(members[type] ?? [])
            waiting += supertypes[type] ?? []
        }
        return names
    }

    /// The top-level name of the module nearest to a name that the module does not have; nil if none is near.
    package func nearest(to name: String) -> String? { Self.nearest(to: name, among: topLevel) }

    /// The member of a type nearest to a name that the type does not have; nil if none is near.
    package func nearest(to name: String, of type: String) -> String? {
        Self.nearest(to: name, among: members(of: type))
    }

    /// Two of five letters may differ, because names of an SDK are long and new versions rename parts of them.
    private static func nearest(to name: String, among names: Set<String>) -> String? {
        guard name.count <= Suggestion.lengthMax else { return nil }
        let lowered = name.lowercased()
        return names.filter { $0.count <= Suggestion.lengthMax }.sorted()
            .map { (name: $0, distance: Suggestion.distance(lowered, $0.lowercased())) }
            .filter { $0.distance <= max(2, name.count * 2 / 5) && $0.distance < $0.name.count }
            .min { $0.distance < $1.distance }?.name
    }
}
