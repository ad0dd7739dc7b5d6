import Foundation
import IMShell
import Synchronization

/// A kind of violation, as a test run reports it.
struct AppFailure {
    var seed: UInt64
    var kind: String
    var text: String
    var scenario: String
    var test: String
    var session: String
    /// The command that explains the failure.
    var hint: String
}

/// Runs `app search`, or merges the outputs of several partial searches, and prints the report.
struct AppSearchRun {
    let request: AppSearchRequest
    let output: TerminalOutput

    /// The maximum size in bytes of Swift's output that is kept. Of a longer output, the end is kept.
    private static let textMax = 1 << 20

    func run() throws -> Outcome {
        var lines: [String] = []
        if request.merges.isEmpty {
            phase("building the test package (the first time takes some minutes)…")
            try build()
            phase("playing seeds \(request.first)..\(request.first + max(request.count, 1) - 1)…")
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
        return try printFailures(Self.grouped(objects), played: played, lines)
    }

    /// Prints the current step, also if the standard error is no terminal, because a build prints nothing for minutes.
    private func phase(_ text: String) { StandardStream.error.line(text) }

    private struct Row: Decodable { var fields: [String: String] }

    /// The fields of a line. The line is a report of a test run, or a row that an earlier search printed.
    private static func object(_ line: String) -> [String: String]? {
        let (decoder, data) = (JSONDecoder(), Data(line.utf8))
        return (try? decoder.decode(Row.self, from: data).fields)
            ?? (try? decoder.decode([String: String].self, from: data))
    }

    /// For each kind of violation, the failure with the lowest seed.
    private static func grouped(_ objects: [[String: String]]) -> [AppFailure] {
        var failures: [AppFailure] = []
        for object in objects {
            guard let seed = object["seed"].flatMap({ UInt64($0) }), let kind = object["kind"] else { continue }
            failures.append(
                AppFailure(
                    seed: seed, kind: kind, text: object["text"] ?? "", scenario: object["scenario"] ?? "",
                    test: object["test"] ?? "", session: object["session"] ?? "", hint: object["hint"] ?? ""))
        }
        failures.sort { $0.seed < $1.seed }
        var known: Set<String> = []
        return failures.filter { known.insert($0.kind).inserted }
    }

    private func printFailures(_ failures: [AppFailure], played: Int, _ lines: [String]) throws -> Outcome {
        if request.settings.asJSON {
            for fields in lines.compactMap(Self.object) where fields["done"] == nil {
                output.rows?(fields.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
            }
        } else {
            for failure in failures {
                output.line("\(failure.text)\nseed \(failure.seed)\n\(failure.scenario)")
                if !failure.test.isEmpty { output.line("test: \(failure.test)\nsession: \(failure.session)") }
                if !failure.hint.isEmpty { output.line(failure.hint) }
            }
            if failures.contains(where: { !$0.test.isEmpty }) {
                output.line(
                    "the written tests run with each 'swift test' and fail until the mistake is fixed")
                output.line("if a failure is no mistake of the app, delete its test and its session")
            }
            output.line("\(played) scenarios; kinds of mistakes: \(failures.count)")
        }
        if let path = request.report {
            let page = AppSearchPage(failures, scenarios: played, title: title).html()
            try OutputFile.write(page.utf8, to: path, overwrites: true)
        }
        return failures.isEmpty ? .ok : .failed
    }

    /// The heading of the report page.
    private var title: String {
        request.folder.isEmpty ? "imrepl app search" : URL(fileURLWithPath: request.folder).lastPathComponent
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
        let showsProgress = !request.settings.asJSON && isatty(STDERR_FILENO) != 0
        DispatchQueue.concurrentPerform(iterations: request.jobs) { job in
            let seeds = "\(request.first) \(request.count) \(parts * jobs) \(part + parts * UInt64(job))"
            let run: (status: Int32, text: String)
            do {
                run = try swift(["test", "--skip-build", "--filter", "SearchTests"], search: seeds) { line in
                    reportLines.withLock { $0.append(line) }
                    guard showsProgress, Self.object(line)?["done"] != nil else { return }
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
        if showsProgress { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        if let text = problem.withLock({ $0 }) { throw ShellError(message: text, reason: .environment) }
        return reportLines.withLock { $0 }
    }

    /// Runs Swift in the package, and calls `line` with each line that the search prints.
    private func swift(
        _ arguments: [String], search: String?, line: (String) -> Void
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        var environment = ProcessInfo.processInfo.environment
        if let search {
            environment[AppSearchLine.variable] = search
            // An absolute path, because Swift runs in the folder of the package.
            environment[AppSearchLine.corpusVariable] = request.corpus.map { URL(fileURLWithPath: $0).path }
        }
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
        ChildProcesses.add(process.processIdentifier)
        defer { ChildProcesses.remove(process.processIdentifier) }
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
