import Foundation
import IMExport
import IMShell
import Recorder
import SansIO

/// `imrepl test`: runs scripts, each in its own world, and reports whether each one passed.
struct TestRunner {
    let request: TestRequest
    let output: any ShellOutput
    var checkers: RuleCheckers?

    struct Result {
        var name: String
        /// The error; nil if the script passed or was skipped.
        var failure: String?
        var isSkipped = false
        var seconds: Double
    }

    func run() throws -> Outcome {
        let scripts = try request.paths.flatMap(find)
        guard !scripts.isEmpty else {
            throw ShellError(message: "no script (*.imr) in \(request.paths.joined(separator: ", "))", reason: .usage)
        }
        if let folder = request.junitFile.map(Folder.parent), !folder.isEmpty {
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let isReportShown = request.junitFile.map(OutputFile.isStandardOutput) ?? false
        let show = isReportShown ? output.error : output.line
        var results: [Result] = []
        for path in scripts {
            let start = ContinuousClock.now
            var failure: String?
            var isSkipped = false
            do {
                isSkipped = try !run(path)
            } catch let error as ShellError {
                failure = error.message
            } catch {
                failure = "\(error)"
            }
            results.append(
                Result(
                    name: path, failure: failure, isSkipped: isSkipped,
                    seconds: start.duration(to: .now).inSeconds))
            if let rows = output.rows, !isReportShown {
                rows(object(results[results.count - 1]))
                continue
            }
            show("\(failure != nil ? "FAIL" : isSkipped ? "skip" : "ok  ") \(path)")
            if let failure { show(indent(failure)) }
        }
        if let file = request.junitFile { try writeJUnit(results, to: file) }
        let failed = results.count { $0.failure != nil }
        let skipped = results.count { $0.isSkipped }
        show(
            "\(results.count - failed - skipped) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "")
        )
        return failed == 0 ? .ok : .failed
    }

    private func object(_ result: Result) -> [(name: String, value: AnswerValue)] {
        var values: [(name: String, value: AnswerValue)] = [
            ("script", .text(result.name)),
            ("result", .text(result.failure != nil ? "failed" : result.isSkipped ? "skipped" : "passed")),
            ("seconds", .seconds(result.seconds)),
        ]
        if let failure = result.failure { values.append(("text", .text(failure))) }
        return values
    }

    private func indent(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "     " + $0 }.joined(separator: "\n")
    }

    private func find(_ path: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ShellError(message: "there is no script or folder '\(path)'", reason: .usage)
        }
        return Folder.exists(path) ? Folder.files(in: path, suffix: ".imr") : [path]
    }

    /// - Returns: false if the head of the script requires another kind of world.
    private func run(_ path: String) throws -> Bool {
        let script = try ScriptFile.read(path, variables: [])
        if let only = script.metadata.world, let requested = request.settings.world.kind, only != requested {
            return false
        }
        let plan = try WorldPlan(
            request.settings.world, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? (path as NSString).lastPathComponent)
        try ScriptFile.require(script, for: plan.dialect)
        let sink = MemorySink()
        let shell = try Shell(
            plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false,
            host: ProgramHost(checkers: checkers))
        shell.refusesOlderMatches = true
        let folder = Folder.parent(of: path)
        shell.sourceFolders = [folder.isEmpty ? "." : folder]
        var thrown: (any Error)?
        do {
            try ScriptRunner(shell: shell, script: script).run()
        } catch {
            thrown = error
        }
        try shell.close()
        let recording = (path as NSString).deletingPathExtension + ".pcapng"
        if let thrown {
            let kept = keepFailure(sink.bytes, of: path)
            throw ShellError(message: "\(thrown)\(kept)", reason: .failed)
        }
        guard shell.expectationCount > 0 else {
            throw ShellError(
                message: "the script has no expectation, so it cannot fail; add an 'expect'", reason: .failed)
        }
        if plan.kind == .simulated { try compare(sink.bytes, with: recording) }
        return true
    }

    /// Requires that the run equals the recording next to the script, if there is one. With `--update` it writes that
    /// recording instead.
    private func compare(_ bytes: [UInt8], with path: String) throws {
        if request.updates {
            if FileManager.default.fileExists(atPath: path), (try? SessionReader(path: path)) == nil {
                throw ShellError(
                    message: "'\(path)' is not a session, and --update replaces only sessions", reason: .environment)
            }
            try OutputFile.write(bytes, to: path, overwrites: true)
            return
        }
        guard let kept = FileManager.default.contents(atPath: path) else { return }
        if Array(kept) != bytes {
            throw ShellError(
                message: "the run differs from the recording '\(path)'; "
                    + "compare with 'imrepl run' and 'imrepl diff', or accept the new recording with --update",
                reason: .failed)
        }
    }

    /// Stores the session of a failed run for inspection. With a report, it is stored next to the report, where CI
    /// collects it, together with an HTML page. Otherwise it is stored in the folder for temporary files. Returns the
    /// lines that name the files.
    private func keepFailure(_ bytes: [UInt8], of path: String) -> String {
        let words = (path as NSString).deletingPathExtension.split(separator: "/").filter { $0 != "." && $0 != ".." }
        let report = request.junitFile.flatMap { OutputFile.isStream($0) ? nil : $0 }
        let stem = "imrepl-failed-" + (report == nil ? words.suffix(1) : words[...]).joined(separator: "-")
        guard let report else {
            return keep(bytes, in: NSTemporaryDirectory() + stem + ".pcapng")
        }
        let folder = Folder.parent(of: report)
        let file = (folder.isEmpty ? "" : folder + "/") + stem
        let kept = keep(bytes, in: file + ".pcapng")
        guard !kept.isEmpty, let page = page(of: file + ".pcapng"),
            (try? OutputFile.write(page.utf8, to: file + ".html", overwrites: true)) != nil
        else { return kept }
        return "\(kept)\npage: \(file).html"
    }

    private func keep(_ bytes: [UInt8], in file: String) -> String {
        guard (try? OutputFile.write(bytes, to: file, overwrites: true)) != nil else { return "" }
        return "\nsession: \(file)\nshow it: imrepl show \(file)"
    }

    private func page(of file: String) -> String? { try? ExportedSession.open(file).text(as: .html) }

    private func writeJUnit(_ results: [Result], to file: String) throws {
        // A report of an earlier run is replaced, because each build writes one. Any other file is not replaced.
        if !OutputFile.isStandardOutput(file), let existing = FileManager.default.contents(atPath: file),
            !existing.isEmpty, !existing.starts(with: Array("<?xml".utf8))
        {
            throw ShellError(
                message: "'\(file)' already exists and is not a report; choose another name", reason: .environment)
        }
        let failed = results.count { $0.failure != nil }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuite name=\"imrepl\" tests=\"\(results.count)\" failures=\"\(failed)\" "
        text += "skipped=\"\(results.count { $0.isSkipped })\">\n"
        for result in results {
            text += "  <testcase name=\"\(escape(result.name))\" time=\"\(String(format: "%.3f", result.seconds))\""
            if result.isSkipped {
                text += "><skipped/></testcase>\n"
            } else if let failure = result.failure {
                text += ">\n    <failure message=\"\(escape(String(failure.prefix { $0 != "\n" })))\">"
                text += "\(escape(failure))</failure>\n  </testcase>\n"
            } else {
                text += "/>\n"
            }
        }
        text += "</testsuite>\n"
        try OutputFile.write(text.utf8, to: file, overwrites: true)
    }

    private func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            // XML does not allow other control characters.
            default: if scalar.value >= 0x20 { escaped.unicodeScalars.append(scalar) } else { escaped += "?" }
            }
        }
        return escaped
    }
}
