import Foundation
import IMText
import LineEditing

/// A small shell that only edits lines: it prints each line in brackets. A few words cause special actions. A line that
/// is written into the fifo FIXTURE_FIFO causes an event while a line is being edited.
struct Fixture: Sendable {
    static let commands = [
        "login", "logout", "autologin", "kick", "query", "quit", "flood", "event", "secret", "crash",
    ]
    static let users = ["alice", "alina", "王小明", "王小红"]

    let editor: any LineEditor
    var prompt = Prompt([.init("demo", .green), .init("> ")])

    init(_ environment: [String: String]) {
        var options = TerminalEditor.Options()
        options.colour = environment["NO_COLOR"] == nil
        options.complete = Self.complete
        options.hint = { $0 == "login " ? "USER [--token T]" : nil }
        options.history = environment["FIXTURE_STATE"].map { folder in
            HistoryFile(
                folder: folder, stamp: { (Date(), "fixture") }, redact: { $0.contains("--token ") ? nil : $0 },
                warn: { FileHandle.standardError.write(Data("warning: \($0)\n".utf8)) })
        }
        do {
            editor = try TerminalEditor(options)
        } catch {
            editor = PlainLineReader(showsPrompt: isatty(STDIN_FILENO) == 1)
        }
        prompt.right = environment["FIXTURE_RIGHT"]
        if let fifo = environment["FIXTURE_FIFO"] { listen(to: fifo) }
    }

    func run() async {
        let lines = LineThread(editor)
        while true {
            do {
                guard try await perform(try await lines.readLine(prompt: prompt), lines) else { break }
            } catch {
                editor.post(["error: \(error)"])
                if error is LineEditorError { break }
            }
        }
        editor.close()
    }

    /// Handles one result of the editor. Returns false to end the shell.
    private func perform(_ result: LineResult, _ lines: LineThread) async throws -> Bool {
        switch result {
        case .interrupted:
            editor.post(["interrupted"])
        case .endOfFile:
            editor.post(["end of file"])
            return false
        case .line("quit"):
            return false
        case .line("crash"):
            kill(getpid(), SIGSEGV)
        case .line("secret"):
            let secret = try await lines.readSecret(prompt: "password: ")
            editor.post(["secret has \(secret?.count ?? -1) characters"])
        case .line(let line):
            editor.post(["[\(line)]"])
            editor.addToHistory(line)
        }
        return true
    }

    @Sendable private static func complete(_ line: String, _ cursor: Int) -> LineCompletion {
        let before = String(decoding: Array(line.utf8.prefix(cursor)), as: UTF8.self)
        let word = before.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let candidates: [LineCompletion.Candidate] =
            before.contains(" ")
            ? users.filter { $0.hasPrefix(word) }.map { .init($0) }
            : commands.filter { $0.hasPrefix(word) }.map { .init($0, help: "does \($0)") }
        return LineCompletion(replaceFrom: cursor - word.utf8.count, candidates: candidates)
    }

    private func listen(to path: String) {
        let editor = editor
        // Opened for reading and writing, so that the loop does not end when a writer closes the fifo. Opened before
        // the thread starts, because lines that are written before the fifo is open would be lost.
        guard let file = fopen(path, "r+") else { return }
        // Only the new thread uses the file from here on.
        nonisolated(unsafe) let events = file
        Thread.detachNewThread {
            while let line = readLine(from: events) { Self.happen(line, editor) }
        }
    }

    private static func happen(_ line: String, _ editor: any LineEditor) {
        switch line {
        case "terminate": kill(getpid(), SIGTERM)
        case "close": editor.close()
        case _ where line.hasPrefix("flood "):
            for number in 1...max(1, Int(line.dropFirst(6)) ?? 1) { editor.post(["flood \(number)"]) }
        default: editor.post([line])
        }
    }
}

private func readLine(from file: UnsafeMutablePointer<FILE>) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(text) }
    guard getline(&text, &capacity, file) > 0, let text else { return nil }
    return String(cString: text).trimmingCharacters(in: .newlines)
}

await Fixture(ProcessInfo.processInfo.environment).run()
