import Foundation
import Shadows

/// Writes the shadows and the copies of an app's files, and reports the app's uses of names that bypass the stand-ins.
///
/// `ShadowsTool MODULE OUTPUT SOURCE… --copy FROM TO …`, or `ShadowsTool --check SOURCE…`, which exits with 1 if there
/// are any.
@main
struct ShadowsTool {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--check" {
            if try check(arguments.dropFirst().map(Source.init)) { exit(1) }
            return
        }
        guard arguments.count >= 2 else {
            print("usage: ShadowsTool MODULE OUTPUT SOURCE… --copy FROM TO …, or ShadowsTool --check SOURCE…")
            exit(2)
        }
        let parts = arguments.dropFirst(2).split(separator: "--copy", maxSplits: 1, omittingEmptySubsequences: false)
        let sources = try parts[0].map(Source.init)
        let pairs = parts.count > 1 ? Array(parts[1]) : []
        let copied = try stride(from: 0, to: pairs.count - 1, by: 2).map { (try Source(pairs[$0]), pairs[$0 + 1]) }

        let tests = sources.filter { isTestFile($0.text) }
        let apps = sources.filter { !isTestFile($0.text) } + copied.map(\.0)
        let testsNames = variableNames(in: tests.map(\.text)).subtracting(variableNames(in: apps.map(\.text)))
        try writeIfChanged(
            shadowsText(module: arguments[arguments.startIndex], testsNames: testsNames.sorted()),
            to: arguments[arguments.startIndex + 1])
        let copies = SourceCopies(of: copied.map(\.0.text))
        for (source, path) in copied {
            let (text, problems) = copies.copy(of: source.text, path: source.path)
            try writeIfChanged(text, to: path)
            for problem in problems { warn(source, problem) }
        }
        _ = try check(sources + copied.map(\.0))
    }

    private struct Source {
        let path: String
        let text: String

        init(_ path: String) throws {
            self.path = path
            text = try String(contentsOfFile: path, encoding: .utf8)
        }
    }

    private static func check(_ sources: [Source]) throws -> Bool {
        var isFound = false
        for source in sources {
            for escape in findEscapes(in: source.text) {
                warn(source, escape)
                isFound = true
            }
        }
        return isFound
    }

    private static func warn(_ source: Source, _ escape: Escape) {
        print("\(source.path):\(escape.line): warning: \(escape.words) \(escape.advice)")
    }

    /// An unchanged file is not compiled again.
    private static func writeIfChanged(_ text: String, to path: String) throws {
        if let known = try? String(contentsOfFile: path, encoding: .utf8), known == text { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
