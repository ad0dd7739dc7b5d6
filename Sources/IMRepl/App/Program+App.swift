import Foundation
import IMShell
import Synchronization

// `imrepl app`: the package that tests an app's login code, and the search that runs in it.

extension Program {
    func beginApp(_ request: AppInitRequest) async throws -> Outcome {
        let output = output(request.settings)
        let sources = try AppSources(folder: request.folder)
        guard !FileManager.default.fileExists(atPath: request.target) else {
            throw ShellError(
                message: "'\(request.target)' already exists; give another folder with -o", reason: .environment)
        }
        let modules = try request.modules ?? Self.modulesBesideProgram()
        guard FileManager.default.fileExists(atPath: "\(modules)/Package.swift") else {
            throw ShellError(
                message: "'\(modules)' is not a package; set --modules to Packages/VendorSDKs in a clone of imrepl",
                reason: .usage)
        }
        let package = AppPackage(sources, modules: URL(fileURLWithPath: modules).standardizedFileURL.path)
        for file in package.files {
            let path = "\(request.target)/\(file.path)"
            try Self.makeFolder((path as NSString).deletingLastPathComponent)
            try OutputFile.write(file.text.utf8, to: path, overwrites: false)
        }
        let folder = "\(request.target)/\(AppPackage.appFolder)"
        try Self.makeFolder(folder)
        for path in sources.files {
            let file = URL(fileURLWithPath: path).standardizedFileURL
            do {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(file.lastPathComponent)", withDestinationPath: file.path)
            } catch {
                throw ShellError(
                    message: "'\(folder)/\(file.lastPathComponent)' cannot be written; two files may have that name",
                    reason: .environment)
            }
        }
        output.line("written: \(request.target), for \(sources.vendor.module) (\(sources.vendor.profile))")
        sources.files.forEach { output.line("  linked: \($0)") }
        if let login = sources.login {
            output.line("  logs in with \(login.type): \(login.make), \(login.login ?? "login()")")
        } else {
            output.line("  found no class with a login method: set it in Explorer.swift")
        }
        let missing = MissingNames(
            texts: sources.texts, prefixes: sources.vendor.prefixes,
            ModuleNames(of: [sources.vendor.module], in: modules))
        if !missing.lines.isEmpty {
            output.line("names that the module \(sources.vendor.module) does not have:")
            missing.lines.forEach { output.line("  \($0)") }
        }
        output.line("next: correct Tests/LoginTests/Explorer.swift, then 'swift test --package-path \(request.target)'")
        output.line("if types of the app are missing, also link their files into App, or write a stub there")
        return .ok
    }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ShellError(message: "the folder '\(path)' cannot be created", reason: .environment)
        }
    }

    /// The folder of the modules: this program lies in the clone that it was built from, or was installed.
    private static func modulesBesideProgram() throws -> String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        if let path = Bundle.main.executablePath { folder = URL(fileURLWithPath: path).resolvingSymlinksInPath() }
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let modules = folder.appendingPathComponent("Packages/VendorSDKs").path
            if FileManager.default.fileExists(atPath: "\(modules)/Package.swift") { return modules }
        }
        throw ShellError(
            message: "the vendor modules are not beside this program; set --modules to Packages/VendorSDKs in a clone",
            reason: .usage)
    }

    func searchApp(_ request: AppSearchRequest) async throws -> Outcome {
        try await onOwnThread {
            try ending(self.output(request.settings)) { try AppSearchRun(request: request, output: $0).run() }
        }
    }
}

/// A kind of violation, as a test run reports it.
private struct AppFailure {
    var seed: UInt64
    var kind: String
    var text: String
    var scenario: String
    var test: String
    var session: String
}

private struct AppSearchRun {
    let request: AppSearchRequest
    let output: TerminalOutput

    /// The maximum size of Swift's output that is kept: its end.
    private static let textMax = 1 << 20

    func run() throws -> Outcome {
        var lines: [String] = []
        if request.merges.isEmpty {
            try build()
            lines = try search()
        } else {
            for path in request.merges {
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw ShellError(message: "'\(path)' cannot be read", reason: .environment)
                }
                let part = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
                guard part.contains(where: { Self.object($0)?["end"] != nil }) else {
                    throw ShellError(
                        message: "'\(path)' is not a complete output of 'app search --json'", reason: .usage)
                }
                lines += part
            }
        }
        let objects = lines.compactMap(Self.object)
        let played = objects.compactMap { $0["end"].flatMap { Int($0) } }.reduce(0, +)
        return printFailures(Self.grouped(objects), played: played, lines)
    }

    private struct Row: Decodable { var fields: [String: String] }

    /// A report of a test run, or a row of an earlier search.
    private static func object(_ line: String) -> [String: String]? {
        let (decoder, data) = (JSONDecoder(), Data(line.utf8))
        return (try? decoder.decode(Row.self, from: data).fields)
            ?? (try? decoder.decode([String: String].self, from: data))
    }

    /// The failure with the lowest seed of each kind.
    private static func grouped(_ objects: [[String: String]]) -> [AppFailure] {
        var failures: [AppFailure] = []
        for object in objects {
            guard let seed = object["seed"].flatMap({ UInt64($0) }), let kind = object["kind"] else { continue }
            failures.append(
                AppFailure(
                    seed: seed, kind: kind, text: object["text"] ?? "", scenario: object["scenario"] ?? "",
                    test: object["test"] ?? "", session: object["session"] ?? ""))
        }
        failures.sort { $0.seed < $1.seed }
        var known: Set<String> = []
        return failures.filter { known.insert($0.kind).inserted }
    }

    private func printFailures(_ failures: [AppFailure], played: Int, _ lines: [String]) -> Outcome {
        if request.settings.asJSON {
            for fields in lines.compactMap(Self.object) where fields["done"] == nil {
                output.rows?(fields.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
            }
        } else {
            for failure in failures {
                output.line("\(failure.text)\nseed \(failure.seed)\n\(failure.scenario)")
                if !failure.test.isEmpty { output.line("test: \(failure.test)\nsession: \(failure.session)") }
            }
            output.line("\(played) scenarios; kinds of mistakes: \(failures.count)")
        }
        return failures.isEmpty ? .ok : .failed
    }

    // MARK: Test runs

    private func build() throws {
        let build = try swift(["build", "--build-tests"], search: nil) { _ in }
        guard build.status == 0 else {
            var lines = build.text.split(separator: "\n").filter { $0.contains("error:") }.prefix(20).map(String.init)
            let missing = MissingNames(buildOutput: build.text, moduleNames)
            if !missing.lines.isEmpty {
                lines.append("names that nothing declares:")
                lines += missing.lines.map { "  \($0)" }
            }
            throw ShellError(
                message: (["the package in '\(request.folder)' cannot be built:"] + lines).joined(separator: "\n"),
                reason: .environment)
        }
    }

    /// The names of the modules that the package uses.
    private var moduleNames: ModuleNames {
        let manifest = FileManager.default.contents(atPath: "\(request.folder)/Package.swift") ?? Data()
        let text = String(decoding: manifest, as: UTF8.self)
        let path = text.firstMatch(of: #/name: "VendorSDKs", path: "([^"]+)"/#).map { String($0.output.1) } ?? ""
        let products = text.matches(of: #/\.product\(name: "(\w+)", package: "VendorSDKs"\)/#)
        let folder = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: request.folder, isDirectory: true))
        return ModuleNames(of: products.map { String($0.output.1) }, in: folder.path)
    }

    private func search() throws -> [String] {
        let parts = request.shard?.count ?? 1
        let part = (request.shard?.index ?? 1) - 1
        let jobs = UInt64(request.jobs)
        let reportLines = Mutex<[String]>([])
        let problem = Mutex<String?>(nil)
        let done = Mutex(0)
        let total = Int(request.count / parts)
        let isSeen = !request.settings.asJSON && isatty(STDERR_FILENO) != 0
        DispatchQueue.concurrentPerform(iterations: request.jobs) { job in
            let asked = "\(request.first) \(request.count) \(parts * jobs) \(part + parts * UInt64(job))"
            let run: (status: Int32, text: String)
            do {
                run = try swift(["test", "--skip-build", "--filter", "SearchTests"], search: asked) { line in
                    reportLines.withLock { $0.append(line) }
                    guard isSeen, Self.object(line)?["done"] != nil else { return }
                    let count = done.withLock { done -> Int in
                        done += 1
                        return done
                    }
                    FileHandle.standardError.write(Data("\r\(count) of \(total) scenarios".utf8))
                }
            } catch {
                return problem.withLock { $0 = "\(error)" }
            }
            guard !run.text.contains("\(AppSearchLine.mark){\"end\"") else { return }
            problem.withLock {
                $0 = "the test run ended early:\n" + run.text.split(separator: "\n").suffix(15).joined(separator: "\n")
            }
        }
        if isSeen { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        if let text = problem.withLock({ $0 }) { throw ShellError(message: text, reason: .environment) }
        return reportLines.withLock { $0 }
    }

    /// Runs Swift in the package, and passes on each line of the search.
    private func swift(
        _ arguments: [String], search: String?, line: (String) -> Void
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        var environment = ProcessInfo.processInfo.environment
        if let search { environment[AppSearchLine.variable] = search }
        process.environment = environment
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [environment["SWIFT"] ?? "swift"] + arguments + ["--package-path", "."]
        process.currentDirectoryURL = URL(fileURLWithPath: request.folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        do {
            try process.run()
        } catch {
            throw ShellError(message: "'swift' cannot be run in '\(request.folder)'", reason: .environment)
        }
        var text = ""
        var rest: [UInt8] = []
        while true {
            let data = pipe.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            rest += data
            while let end = rest.firstIndex(of: 10) {
                let whole = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                text += whole + "\n"
                if text.utf8.count > 2 * Self.textMax { text = String(text.suffix(Self.textMax)) }
                if whole.hasPrefix(AppSearchLine.mark) { line(String(whole.dropFirst(AppSearchLine.mark.count))) }
            }
        }
        process.waitUntilExit()
        return (process.terminationStatus, text + String(decoding: rest, as: UTF8.self))
    }
}
