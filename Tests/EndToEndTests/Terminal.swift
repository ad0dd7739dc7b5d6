import Foundation
import IMShell
import TestSupport

/// A snapshot of a terminal's display: its rows and the position of its cursor.
struct Screen: Equatable, CustomStringConvertible {
    /// The rows from the top, without trailing blanks and without empty rows at the bottom.
    var rows: [String]
    var column: Int
    var row: Int
    /// The exit status of the program; nil while it runs.
    var exitStatus: Int?

    /// The last `count` non-empty rows.
    func last(_ count: Int) -> [String] { Array(rows.suffix(count)) }

    /// The row with the cursor.
    var current: String { rows.indices.contains(row) ? rows[row] : "" }

    var description: String {
        (rows.map { "| " + $0 } + ["cursor \(column),\(row)" + (exitStatus.map { ", exit \($0)" } ?? "")])
            .joined(separator: "\n")
    }
}

/// A program in a terminal. A test presses keys and reads the screen.
///
/// The terminal is a tmux session on its own server, so it does not affect the user's sessions or other tests. It is
/// closed by `close()`, or when the last reference to it is released.
final class Terminal {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The maximum time until a screen looks as expected. It ends tests of programs that hang, and is long enough for a
    /// slow computer.
    static let limit: Duration = .seconds(60)

    /// A new folder for sockets, history and the program's data.
    let folder: String
    private let socket: String
    private var isOpen = true

    /// Starts a program in a terminal, without a shell in between. The program is searched for in PATH.
    ///
    /// - Parameter environment: variables that are added to a small fixed environment. HOME is an empty folder.
    init(_ command: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
        folder = NSTemporaryDirectory() + "terminal-\(UUID().uuidString.prefix(8))"
        socket = "imrepl-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: true)
        let configuration = """
            set -g status off
            set -g default-terminal screen-256color
            set -g escape-time 0
            set -g history-limit 10000
            """
        try configuration.write(toFile: folder + "/tmux.conf", atomically: true, encoding: .utf8)
        var values = [
            "HOME": folder + "/home", "LC_ALL": "C.UTF-8", "TERM": "screen-256color",
            // If the output is a terminal, Swift's backtracer waits for input after a crash.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        values.merge(environment) { _, given in given }
        // `env` sets the variables, because tmux sets TERM itself and a test may need another value.
        let set = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let unset = ["TMUX", "TMUX_PANE", "NO_COLOR", "EDITRC", "COLUMNS", "LINES"].flatMap { ["-u", $0] }
        try tmux(
            ["new-session", "-d", "-s", "t", "-x", "\(columns)", "-y", "\(rows)", "env"] + unset + set
                + ["sh", "-c", "\"$@\"; echo $? > '\(folder)/exit'; exec sleep 86400", "sh"] + command)
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        _ = try? tmux(["kill-server"])
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Keys

    /// Types the text without interpreting any of it as a key.
    func type(_ text: String) throws {
        try tmux(["send-keys", "-t", "t", "-l", "--", text])
    }

    /// Presses keys, by the names of tmux: Enter, C-c, Left, Tab, Escape and so on.
    func press(_ keys: String...) throws {
        try tmux(["send-keys", "-t", "t"] + keys)
    }

    /// Types a line and presses Enter.
    func enter(_ line: String) throws {
        try type(line)
        try press("Enter")
    }

    /// Pastes the text as a terminal does: in paste brackets, if the program requested them.
    func paste(_ text: String) throws {
        let path = folder + "/paste"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try tmux(["load-buffer", path, ";", "paste-buffer", "-p", "-t", "t"])
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-t", "t", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Copies all further output of the program to a file, byte by byte.
    func record(into path: String) throws {
        try tmux(["pipe-pane", "-o", "-t", "t", "exec cat > '\(path)'"])
    }

    // MARK: Screen

    /// The current screen.
    func screen() throws -> Screen {
        // One tmux command line gives one consistent snapshot.
        let format = "#{cursor_x} #{cursor_y}"
        let output = try tmux(["display-message", "-p", "-t", "t", format, ";", "capture-pane", "-p", "-t", "t"])
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let numbers = lines.removeFirst().split(separator: " ").map { Int($0) ?? 0 }
        for index in lines.indices {
            while lines[index].last == " " { lines[index].removeLast() }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard numbers.count >= 2 else { throw Failure(description: "tmux said: \(output)") }
        return Screen(rows: lines, column: numbers[0], row: numbers[1], exitStatus: exitStatus)
    }

    /// The exit status in a file that the shell around the program writes. The shell then sleeps, because tmux discards
    /// the screen of an ended program and sometimes does not detect its end.
    private var exitStatus: Int? {
        guard let text = try? String(contentsOfFile: folder + "/exit", encoding: .utf8), text.hasSuffix("\n") else {
            return nil
        }
        return Int(text.dropLast())
    }

    /// All printed rows, including those that have scrolled off the screen.
    func scrollback() throws -> [String] {
        try tmux(["capture-pane", "-p", "-J", "-S", "-", "-t", "t"]).split(separator: "\n").map(String.init)
    }

    /// The modes of the terminal, by the names of `stty -a`. An editor must restore them when it ends.
    func modes() throws -> Set<String> {
        let device = try tmux(["display-message", "-p", "-t", "t", "#{pane_tty}"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let flag = TestSystem.isLinux ? "-F" : "-f"
        let words = try Self.run("stty", [flag, device, "-a"]).split { $0.isWhitespace || $0 == ";" }.map(String.init)
        return Set(words)
    }

    /// Waits until the screen satisfies the condition, and returns it. Throws an error with the screen after the time
    /// limit.
    @discardableResult
    func wait(
        _ what: String = "the screen", until condition: (Screen) -> Bool
    ) throws -> Screen {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.limit
        var last = try screen()
        while !condition(last) {
            guard clock.now < deadline else { throw Failure(description: "waited in vain for \(what):\n\(last)") }
            Thread.sleep(forTimeInterval: 0.02)
            last = try screen()
        }
        return last
    }

    /// Waits for a row that contains the text.
    @discardableResult
    func wait(for text: String) throws -> Screen {
        try wait("\"\(text)\"") { screen in screen.rows.contains { $0.contains(text) } }
    }

    /// Waits until these are the last rows, with the cursor in the column if one is given.
    @discardableResult
    func wait(forLast rows: [String], column: Int? = nil) throws -> Screen {
        let cursor = column.map { ", cursor in column \($0)" } ?? ""
        return try wait("\n" + rows.map { "| " + $0 }.joined(separator: "\n") + cursor) { screen in
            screen.last(rows.count) == rows && (column == nil || screen.column == column)
        }
    }

    /// Waits for the program to end and returns its exit status.
    func waitForExit() throws -> Int {
        try wait("the end of the program") { $0.exitStatus != nil }.exitStatus ?? -1
    }

    // MARK: Programs

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        try Self.run(
            "tmux", ["-u", "-L", socket, "-f", folder + "/tmux.conf"] + arguments, environment: ["TMUX_TMPDIR": folder])
    }

    private static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end, and returns its output.
    ///
    /// Does not use Foundation's `Process`, which waits until every descendant has ended. tmux's server is a descendant
    /// and continues to run.
    private static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        guard let path = find(program) else { throw Failure(description: "\(program) is not installed") }
        let outputPath = NSTemporaryDirectory() + "output-\(UUID().uuidString)"
        let output = open(outputPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw Failure(description: "\(outputPath) cannot be written") }
        unlink(outputPath)
        let handle = FileHandle(fileDescriptor: output, closeOnDealloc: true)
        let values = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        let status = try spawn(
            path, [program] + arguments, environment: values.map { "\($0.key)=\($0.value)" }, output: output)
        try handle.seek(toOffset: 0)
        let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        guard status == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(text)")
        }
        return text
    }

    /// Starts a program with an empty standard input and no blocked signals, waits for it, and returns its raw status.
    private static func spawn(
        _ path: String, _ arguments: [String], environment: [String], output: Int32
    ) throws -> Int32 {
        var actions = SystemDifferences.spawnActions
        var attributes = SystemDifferences.spawnAttributes
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
        }
        return status
    }
}
