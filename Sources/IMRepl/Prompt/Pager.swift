import Foundation
import IMShell

/// The program that shows long answers on a terminal: PAGER, otherwise `less`.
enum Pager {
    /// With these options the text remains on the screen after the end, and the last line explains the keys.
    private static let less = "less -RX '-PsSPACE shows more, q goes back to the prompt'"

    /// The command that starts the pager. Nil if there is none, and for `cat`, which does no more than the terminal.
    static var command: String? {
        let environment = ProcessInfo.processInfo.environment
        if let value = environment["PAGER"] {
            let command = value.trimmingCharacters(in: .whitespaces)
            return command.isEmpty || command == "cat" ? nil : command
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/less") } ? less : nil
    }

    /// True if the lines need more rows than the screen has. One row is reserved for the prompt.
    static func isLong(_ lines: [String], columns: Int, rows: Int) -> Bool {
        guard lines.count < rows else { return true }
        let taken = lines.reduce(0) { $0 + max(1, (visibleCount($1) + columns - 1) / max(columns, 1)) }
        return taken >= rows
    }

    /// The number of characters of a line without its colours.
    private static func visibleCount(_ line: String) -> Int {
        line.replacing(/\u{1B}\[[0-9;]*m/, with: "").count
    }

    /// Shows lines, and returns when the user has closed the pager.
    ///
    /// - Returns: false if the pager could not be started.
    static func show(_ lines: [String], by command: String) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The pager must not inherit this program's signal handling.
        var actions = SystemDifferences.spawnActions
        var attributes = SystemDifferences.spawnAttributes
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var child = pid_t()
        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let (words, values) = (copies(of: ["sh", "-c", command]), copies(of: environment))
        defer { for text in words + values { free(text) } }
        let result = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, values)
        close(ends[0])
        guard result == 0 else {
            close(ends[1])
            return false
        }
        feed(Array(lines.map { $0 + "\n" }.joined().utf8), into: ends[1])
        close(ends[1])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        // 127 is the shell's exit code for a missing command.
        return status >> 8 & 0xFF != 127
    }

    /// The strings as C strings, followed by a null pointer.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = texts.map { text in strdup(text) }
        copies.append(nil)
        return copies
    }

    /// Writes until all bytes are read, or the user closes the pager.
    private static func feed(_ bytes: [UInt8], into descriptor: Int32) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR && errno != EAGAIN {
                return
            }
        }
    }
}

extension TerminalOutput {
    /// Runs `body`. If `isOn` is true, output that does not fit on the screen goes through a pager.
    func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value {
        guard isOn, let size = screen, let command = Pager.command, hold() else { return try body() }
        defer { release(pageIfLong(takeHeld(), size, command)) }
        return try body()
    }

    /// Shows the held lines in a pager if they do not fit on the screen. Returns the lines that are still to be shown
    /// on the screen.
    private func pageIfLong(_ held: [HeldLine], _ size: (columns: Int, rows: Int), _ command: String) -> [HeldLine] {
        let lines = held.flatMap { $0.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        let isLong = Pager.isLong(lines, columns: size.columns, rows: size.rows)
        guard isLong else { return held }
        holdEvents()
        return Pager.show(lines, by: command) ? [] : held
    }
}
