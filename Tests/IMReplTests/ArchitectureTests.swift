import Foundation
import Testing

@testable import IMSession

/// The diagram of the design: the permitted imports of each target, and the forbidden names in pure ones.
@Suite struct ArchitectureTests {
    /// The permitted imports of our targets, from the manifest. The package manager refuses a cycle.
    static let arrows = Dictionary(
        uniqueKeysWithValues: PackageManifest.ours.targets.filter { !$0.isTest && $0.name != "CEditLine" }
            .map { ($0.name, $0.dependencies) })

    /// The permitted other imports of the pure targets. IMProtocol's codec uses the protobuf library, whose
    /// generated code imports Foundation.
    static let outside: [String: Set<String>] = [
        "SansIO": [],
        // Data that is read once, by any thread.
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
        // Hashes and ciphers, decompression, Base64 and JSON come from libraries.
        "IMTokens": ["CZlib", "Crypto", "CryptoExtras", "FoundationEssentials", "Foundation"],
        "IMDebugger": [],
        "IMCheckers": [],
        "IMExplorer": [],
        "IMReproduce": [],
        // A report names the system that made it.
        "IMExport": ["Foundation"],
        // Scripts and recordings are files; sockets, databases and terminals belong to the program. The lines of a
        // script are parsed once, by the first test that needs them.
        "IMShell": ["ArgumentParser", "Foundation", "FoundationEssentials", "Synchronization"],
    ]

    /// Files that read and write JSON, and may use only that part of Foundation.
    static let withJSON = [
        "IMTokens/TokenBytes.swift",
        "IMSession/IMSessionSchema.swift", "IMSession/RecordCodec.swift", "IMSession/RecordCodec+Data.swift",
        "IMSession/RecordCodec+Payloads.swift", "IMSession/RecordCodec+TreeData.swift",
        "IMSession/StartRecord+Older.swift",
    ]

    @Test(arguments: arrows.keys.sorted()) func importsFollowTheDiagram(_ target: String) throws {
        let allowed = try #require(Self.arrows[target])
        let files = try SourceTree.files(of: target)
        #expect(!files.isEmpty)
        for file in files {
            let imports = file.imports
            for module in imports where Self.arrows[module] != nil || module == "CEditLine" {
                #expect(allowed.contains(module), "\(file.name) imports \(module): that arrow goes up")
            }
            guard let outside = Self.outside[target] else { continue }
            for module in imports where Self.arrows[module] == nil {
                let hasFoundation = file.name.hasSuffix(".pb.swift") || Self.withJSON.contains(file.name)
                #expect(
                    outside.contains(module)
                        && (module != "Foundation" || hasFoundation
                            || ["IMExport", "IMShell", "IMLogs"].contains(target)),
                    "\(file.name) imports \(module): \(target) is pure")
            }
        }
    }

    /// The product does not import the self-tests.
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

    /// Names that could make a replay differ from its recording: clocks, random numbers, concurrency, hash order.
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
                // The only hash table, which can be iterated only in sorted order.
                if file.name.hasSuffix("NameTable.swift"), line.contains("private var values: [String: Value]") {
                    continue
                }
                // A script's variables, looked up by name; an error lists their names sorted.
                if line.contains("variables: [String: String]") { continue }
                // A JSON object of Foundation, whose members are read by name, and which is written sorted.
                if file.name.hasSuffix("StartRecord+Older.swift"), line.contains("[String: Any]") { continue }
                for word in Self.forbidden where line.contains(word) && !line.contains("OrderedDictionary<") {
                    #expect(line.contains("OrderedSet<"), "\(file.name):\(number) has '\(word)' in a pure target")
                }
            }
        }
    }

    /// The differences between the systems are in one file, and those that only tests meet in another.
    @Test func onlyOneFileAsksForTheSystem() throws {
        // The path of a fuzzer's target is an expression.
        let folders = PackageManifest.ours.targets.map(\.path).filter { !$0.contains("\\(") }
        let files = try folders.flatMap { try SourceTree.files(in: $0, as: $0) }
        let asking = files.filter { !$0.systemConditions.isEmpty }.map(\.name)
        #expect(
            asking.sorted()
                == ["Sources/IMShell/System/SystemDifferences.swift", "Tests/TestSupport/TestSystem.swift"])
        let example = SourceTree.File(
            name: "X.swift",
            text: "#if canImport(FoundationEssentials)\n    #if os(Linux)\n#elseif canImport(Musl)\nimport Glibc\n")
        #expect(example.systemConditions == [2, 3, 4])
    }

    /// The maximum length of a file.
    static let linesOfFileMax = 400

    @Test(arguments: arrows.keys.sorted()) func filesHaveALimitedLength(_ target: String) throws {
        let files = try SourceTree.files(of: target).filter { !$0.name.hasSuffix(".pb.swift") }
        let counts = files.map { $0.text.utf8.count { $0 == UInt8(ascii: "\n") } }
        for (file, count) in zip(files, counts) { #expect(count <= Self.linesOfFileMax, "\(file.name) has \(count)") }
    }

    /// The same limit for tests.
    @Test func filesOfTestsHaveALimitedLength() throws {
        let files = try ["Tests", "SelfTests/Tests"].flatMap { try SourceTree.files(in: $0, as: $0) }
        #expect(files.count > 200)
        for file in files {
            let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            #expect(count <= Self.linesOfFileMax, "\(file.name) has \(count)")
        }
    }

    /// The C files of the line editor have an order, given in their header, and use only earlier ones.
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
        for (place, text) in texts.enumerated() {
            for later in place + 1..<max(place + 1, texts.count) {
                for name in defined[later] where text.contains(name) {
                    Issue.record("\(order[place]) uses \(name) of \(order[later])")
                }
            }
        }
    }

    /// Other packages use these modules: every public declaration has a comment.
    @Test(arguments: [
        "SansIO", "Recorder", "IMProtocol", "IMClient", "IMServer", "IMProfiles", "IMSession", "IMLocalData",
        "IMSimulation", "IMText", "IMDebugger", "IMExport", "IMShell", "IMTokens",
    ])
    func whatIsPublicIsDocumented(_ target: String) throws {
        for file in try SourceTree.files(of: target) where !file.name.hasSuffix(".pb.swift") {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " } }
            for (place, line) in lines.enumerated() where line.hasPrefix("public ") && !line.hasPrefix("public import")
            {
                let above = lines[..<place].last { !$0.hasPrefix("@") } ?? ""
                #expect(above.hasPrefix("///"), "\(file.name):\(place + 1) has no comment: \(line)")
            }
        }
    }

    @Test func everyTargetIsInTheDiagram() throws {
        let drawn = try String(contentsOfFile: SourceTree.root + "/CONTRIBUTING.md", encoding: .utf8)
        for target in Self.arrows.keys.sorted() { #expect(drawn.contains(target), "\(target) is not in it") }
        // The number of lines of each module, rounded to a fifth.
        for target in Self.arrows.keys.sorted() {
            let files = try SourceTree.files(of: target).filter { !$0.name.hasSuffix(".pb.swift") }
            let count = Double(files.map { $0.text.utf8.count { $0 == UInt8(ascii: "\n") } }.reduce(0, +)) / 1000
            let said = drawn.matches(of: /\b(\w+)\s(\d+\.\d)\b/).first { $0.output.1 == target }
            let number = try #require(said.flatMap { Double($0.output.2) }, "no lines are given for \(target)")
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

/// The sources of a target.
enum SourceTree {
    struct File {
        var name: String
        var text: String

        /// Lines without comments, with their numbers.
        var code: [(number: Int, line: String)] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
                let trimmed = line.drop { $0 == " " }
                return trimmed.isEmpty || trimmed.hasPrefix("//") ? nil : (index + 1, String(line))
            }
        }

        /// The numbers of the lines that ask for the system, or import its C library by name.
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

        /// A file may contain the text of another one, with imports that are not its own.
        var imports: [String] {
            var isText = false
            return code.compactMap { _, line in
                let wasText = isText
                // An even number of parts has an odd number of delimiters between them.
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

    /// - Parameter name: the prefix of the files' names.
    static func files(in path: String, as target: String) throws -> [File] {
        let folder = "\(root)/\(path)"
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            File(name: "\(target)/\(name)", text: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
        }
    }
}
