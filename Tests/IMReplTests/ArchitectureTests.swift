import Foundation
import Testing

@testable import IMSession

/// Tests of the modules' dependencies: which modules each target may import, and which names a pure target must not
/// contain.
@Suite struct ArchitectureTests {
    /// The targets of this package that each target may import, from the manifest. The package manager refuses a cycle.
    static let allowedImports = Dictionary(
        uniqueKeysWithValues: PackageManifest.ours.targets.filter { !$0.isTest && $0.name != "CEditLine" }
            .map { ($0.name, $0.dependencies) })

    /// The other modules that each pure target may import. IMProtocol's codec uses the protobuf library, whose
    /// generated code imports Foundation.
    static let otherImports: [String: Set<String>] = [
        "SansIO": [],
        // `PackedChildren` decodes its children once, on any thread, and needs a lock for that.
        "IMTree": ["Synchronization"],
        "IMProtocol": ["SwiftProtobuf", "Foundation"],
        "IMLocalData": ["OrderedCollections"],
        "IMClient": [],
        "IMServer": ["OrderedCollections"],
        "Recorder": ["SystemPackage"],
        "IMSession": ["SwiftProtobuf", "Foundation", "FoundationEssentials"],
        // Format files and many logs are JSON.
        "IMLogs": ["Foundation"],
        "IMSimulation": ["OrderedCollections"],
        "IMText": [],
        "IMAgent": [],
        // Hashes, ciphers, decompression, Base64 and JSON come from libraries.
        "IMTokens": ["CZlib", "Crypto", "CryptoExtras", "FoundationEssentials", "Foundation"],
        "IMDebugger": [],
        "IMCheckers": [],
        "IMExplorer": [],
        "IMReproduce": [],
        // A report contains the name of the operating system.
        "IMExport": ["Foundation"],
        // Scripts and recordings are files. Sockets, databases and terminals belong to the program. The lines of a
        // script are parsed once, by the first test that needs them.
        "IMShell": ["ArgumentParser", "Foundation", "FoundationEssentials", "Synchronization"],
    ]

    /// Files that read and write JSON. From Foundation they may only use its JSON coders.
    static let withJSON = [
        "IMTokens/TokenBytes.swift",
        "IMSession/IMSessionSchema.swift", "IMSession/RecordCodec.swift", "IMSession/RecordCodec+Data.swift",
        "IMSession/RecordCodec+Payloads.swift", "IMSession/RecordCodec+TreeData.swift",
        "IMSession/StartRecord+Older.swift",
    ]

    @Test(arguments: allowedImports.keys.sorted()) func importsFollowTheDiagram(_ target: String) throws {
        let allowed = try #require(Self.allowedImports[target])
        let files = try SourceTree.files(of: target)
        #expect(!files.isEmpty)
        for file in files {
            let imports = file.imports
            for module in imports where Self.allowedImports[module] != nil || module == "CEditLine" {
                #expect(allowed.contains(module), "\(file.name) imports \(module): that arrow goes up")
            }
            guard let otherImports = Self.otherImports[target] else { continue }
            for module in imports where Self.allowedImports[module] == nil {
                let hasFoundation = file.name.hasSuffix(".pb.swift") || Self.withJSON.contains(file.name)
                #expect(
                    otherImports.contains(module)
                        && (module != "Foundation" || hasFoundation
                            || ["IMExport", "IMShell", "IMLogs"].contains(target)),
                    "\(file.name) imports \(module): \(target) is pure")
            }
        }
    }

    /// No target of the product may depend on a self-test.
    @Test func theProductDependsOnNoSelfTest() throws {
        let package = PackageManifest.ours
        let selfTests = package.targets.filter { $0.path.hasPrefix("SelfTests/") }.map(\.name)
        #expect(selfTests.contains("IMCheckers") && selfTests.contains("IMExplorer"), "\(selfTests)")
        for target in package.targets where !target.path.hasPrefix("SelfTests/") && !target.isTest {
            for name in target.dependencies.intersection(selfTests) {
                Issue.record("\(target.name) depends on \(name), which is in SelfTests")
            }
        }
        for file in try SourceTree.files(in: "Sources", as: "Sources") {
            for name in file.imports where selfTests.contains(name) {
                Issue.record("\(file.name) imports \(name), which is in SelfTests")
            }
        }
    }

    /// Names that could make a replay differ from its recording: clocks, random numbers, concurrency, and hash tables,
    /// whose order differs in each process.
    static let forbidden = [
        "Date(", ".random(", "UUID(", "Task {", "Task.", "ContinuousClock", "SuspendingClock", "NSLock", "Mutex(",
        "DispatchQueue", "Thread(", "Thread.", "getenv", "clock_gettime", "Set<", "Dictionary<", "[String: ", "print(",
        "fatalError(", "try!", "as!",
    ]

    @Test(arguments: [
        "SansIO", "IMTree", "IMProtocol", "IMLocalData", "IMClient", "IMServer", "Recorder", "IMSession",
        "IMSimulation", "IMTokens", "IMReproduce", "IMAgent", "IMText",
    ])
    func pureTargetsStayPure(_ target: String) throws {
        for file in try SourceTree.files(of: target) where !file.name.hasSuffix(".pb.swift") {
            for (number, line) in file.code {
                // This type is the only hash table. It can be iterated only in sorted order.
                if file.name.hasSuffix("NameTable.swift"), line.contains("private var values: [String: Value]") {
                    continue
                }
                // A script's variables are looked up by name. An error lists their names in sorted order.
                if line.contains("variables: [String: String]") { continue }
                // A JSON object of Foundation. Its members are read by name, and it is written in sorted order.
                if file.name.hasSuffix("StartRecord+Older.swift"), line.contains("[String: Any]") { continue }
                for word in Self.forbidden where line.contains(word) && !line.contains("OrderedDictionary<") {
                    #expect(line.contains("OrderedSet<"), "\(file.name):\(number) has '\(word)' in a pure target")
                }
            }
        }
    }

    /// Only one source file depends on the operating system, and another one has the differences that only tests need.
    @Test func onlyOneFileDependsOnTheSystem() throws {
        // The path of a fuzzer's target is not a literal in the manifest.
        let folders = PackageManifest.ours.targets.map(\.path).filter { !$0.contains("\\(") }
        let files = try folders.flatMap { try SourceTree.files(in: $0, as: $0) }
        let dependent = files.filter { !$0.systemConditions.isEmpty }.map(\.name)
        #expect(
            dependent.sorted()
                == ["Sources/IMShell/System/SystemDifferences.swift", "Tests/TestSupport/TestSystem.swift"])
        let example = SourceTree.File(
            name: "X.swift",
            text: "#if canImport(FoundationEssentials)\n    #if os(Linux)\n#elseif canImport(Musl)\nimport Glibc\n")
        #expect(example.systemConditions == [2, 3, 4])
    }

    /// The program ends only in `endProcess`, which does not destroy globals.
    @Test func onlyOneFunctionEndsTheProcess() throws {
        let files = try SourceTree.files(of: "IMRepl").filter { file in
            file.code.contains { $0.line.contains(/\b_?exit\(/) }
        }
        #expect(files.map(\.name) == ["IMRepl/Program/ProcessEnd.swift"])
    }

    /// The maximum number of lines of a file.
    static let linesOfFileMax = 400

    @Test(arguments: allowedImports.keys.sorted()) func filesHaveALimitedLength(_ target: String) throws {
        let files = try SourceTree.files(of: target).filter { !$0.name.hasSuffix(".pb.swift") }
        let counts = files.map { $0.text.utf8.count { $0 == UInt8(ascii: "\n") } }
        for (file, count) in zip(files, counts) { #expect(count <= Self.linesOfFileMax, "\(file.name) has \(count)") }
    }

    /// Files of tests have the same maximum length as other sources.
    @Test func filesOfTestsHaveALimitedLength() throws {
        let files = try ["Tests", "SelfTests/Tests"].flatMap { try SourceTree.files(in: $0, as: $0) }
        #expect(files.count > 200)
        for file in files {
            let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            #expect(count <= Self.linesOfFileMax, "\(file.name) has \(count)")
        }
    }

    /// The header of the line editor's C files lists them in an order. Each file uses only earlier files.
    @Test func theLineEditorsFilesUseOnlyEarlierOnes() throws {
        let folder = SourceTree.root + "/Sources/CEditLine/"
        let header = try String(contentsOfFile: folder + "internal.h", encoding: .utf8)
        let order = header.split(separator: "\n").compactMap { line in
            line.hasPrefix("// ") ? line.dropFirst(3).split(separator: ":").first.map(String.init) : nil
        }.filter { $0.hasSuffix(".c") && !$0.contains(" ") }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
        #expect(order.sorted() == files.sorted())
        let texts = try order.map { try String(contentsOfFile: folder + $0, encoding: .utf8) }
        let defined = texts.map { text in
            text.split(separator: "\n").compactMap { line -> Substring? in
                guard line.hasSuffix("{"), let name = line.firstMatch(of: /^[a-z][^(=]*\b(cel_\w+)\(/) else {
                    return nil
                }
                return name.output.1
            }
        }
        #expect(defined.allSatisfy { !$0.isEmpty })
        for (position, text) in texts.enumerated() {
            for later in position + 1..<max(position + 1, texts.count) {
                for name in defined[later] where text.contains(name) {
                    Issue.record("\(order[position]) uses \(name) of \(order[later])")
                }
            }
        }
    }

    /// Other packages use these modules, so every public declaration has a comment.
    @Test(arguments: [
        "SansIO", "Recorder", "IMProtocol", "IMClient", "IMServer", "IMProfiles", "IMSession", "IMLocalData",
        "IMSimulation", "IMText", "IMDebugger", "IMExport", "IMShell", "IMTokens",
    ])
    func publicDeclarationsAreDocumented(_ target: String) throws {
        for file in try SourceTree.files(of: target) where !file.name.hasSuffix(".pb.swift") {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " } }
            for (index, line) in lines.enumerated() where line.hasPrefix("public ") && !line.hasPrefix("public import")
            {
                let above = lines[..<index].last { !$0.hasPrefix("@") } ?? ""
                #expect(above.hasPrefix("///"), "\(file.name):\(index + 1) has no comment: \(line)")
            }
        }
    }

    @Test func everyTargetIsInTheDiagram() throws {
        let drawn = try String(contentsOfFile: SourceTree.root + "/CONTRIBUTING.md", encoding: .utf8)
        for target in Self.allowedImports.keys.sorted() { #expect(drawn.contains(target), "\(target) is not in it") }
        // The document gives the number of lines of each module. The number may differ by a fifth.
        for target in Self.allowedImports.keys.sorted() {
            let files = try SourceTree.files(of: target).filter { !$0.name.hasSuffix(".pb.swift") }
            let count = Double(files.map { $0.text.utf8.count { $0 == UInt8(ascii: "\n") } }.reduce(0, +)) / 1000
            let documented = drawn.matches(of: /\b(\w+)\s(\d+\.\d)\b/).first { $0.output.1 == target }
            let number = try #require(documented.flatMap { Double($0.output.2) }, "no lines are given for \(target)")
            #expect(abs(number - count) <= max(0.1, count / 5), "\(target) has \(count) thousand lines")
        }
    }

    @Test func aPureTargetThatReadsAClockIsReported() {
        let file = SourceTree.File(name: "X.swift", text: "import Foundation\n// Date()\nlet now = Date()\n")
        #expect(file.imports == ["Foundation"])
        #expect(file.code.contains { $0.line.contains("Date(") })
        #expect(file.code.count == 2)
        let text = "let other = \"\"\"\n    import Testing\n    \"\"\"\nimport Foundation\n"
        #expect(SourceTree.File(name: "Y.swift", text: text).imports == ["Foundation"])
    }
}

/// The source files of targets.
enum SourceTree {
    struct File {
        var name: String
        var text: String

        /// The lines that are not comments, with their numbers.
        var code: [(number: Int, line: String)] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
                let trimmed = line.drop { $0 == " " }
                return trimmed.isEmpty || trimmed.hasPrefix("//") ? nil : (index + 1, String(line))
            }
        }

        /// The numbers of the lines that depend on the operating system: conditions, and imports of its C library.
        var systemConditions: [Int] {
            let libraries = ["Glibc", "Musl", "Darwin", "Android"]
            return code.compactMap { number, line in
                let line = line.trimmingCharacters(in: .whitespaces)
                let isCondition =
                    (line.hasPrefix("#if") || line.hasPrefix("#elseif"))
                    && (line.contains("os(") || libraries.contains { line.contains("canImport(\($0))") })
                let isImport = libraries.contains { line.hasSuffix("import \($0)") }
                return isCondition || isImport ? number : nil
            }
        }

        /// The modules that the file imports. Imports within a multi-line string literal do not count.
        var imports: [String] {
            var isText = false
            return code.compactMap { _, line in
                let wasText = isText
                // A line with an odd number of delimiters begins or ends a multi-line literal.
                if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count.isMultiple(of: 2) {
                    isText.toggle()
                }
                guard !wasText else { return nil }
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index < 3, index + 1 < words.count,
                    words[..<index].allSatisfy({ $0.hasPrefix("@") || ["public", "internal", "private"].contains($0) })
                else { return nil }
                return words[index + 1].split(separator: ".").first.map(String.init)
            }
        }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func files(of target: String) throws -> [File] {
        let path = PackageManifest.ours.targets.first { $0.name == target }?.path ?? "Sources/\(target)"
        return try files(in: path, as: target)
    }

    /// - Parameter target: the prefix of the files' names.
    static func files(in path: String, as target: String) throws -> [File] {
        let folder = "\(root)/\(path)"
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            File(name: "\(target)/\(name)", text: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
        }
    }
}
