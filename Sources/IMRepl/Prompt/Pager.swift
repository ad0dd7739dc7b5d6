import Foundation

/// The program through which long answers are read on a terminal: what PAGER says, else `less`.
enum Pager {
    /// What was read stays on the screen, and its last line says how to go on.
    private static let less = "less -RX '-PsSPACE shows more, q goes back to the prompt'"

    /// The command; nil where there is none, or where it would do no more than the terminal.
    static var command: String? {
        let environment = ProcessInfo.processInfo.environment
        if let given = environment["PAGER"] {
            let command = given.trimmingCharacters(in: .whitespaces)
            return command.isEmpty || command == "cat" ? nil : command
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/less") } ? less : nil
    }

    /// Whether lines are more than a screen shows, one row being kept for the prompt.
    static func isLong(_ lines: [String], columns: Int, rows: Int) -> Bool {
        guard lines.count < rows else { return true }
        let taken = lines.reduce(0) { $0 + max(1, (visibleCount($1) + columns - 1) / max(columns, 1)) }
        return taken >= rows
    }

    /// The characters of a line without its colours.
    private static func visibleCount(_ line: String) -> Int {
        line.replacing(/\u{1B}\[[0-9;]*m/, with: "").count
    }

    /// Shows lines, and comes back when the person has read them.
    ///
    /// - Returns: false when the pager could not be started.
    static func show(_ lines: [String], by command: String) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // What this program does about signals is not what the pager is to do about them.
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
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
        // The shell's word for a command that is not there.
        return status >> 8 & 0xFF != 127
    }

    /// Strings as C has them, and the null behind the last.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = texts.map { text in strdup(text) }
        copies.append(nil)
        return copies
    }

    /// Writes until all is taken, or the person has read enough.
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
    /// What does not fit the screen goes through a pager.
    func paged<Value>(_ isOn: Bool, _ body: () throws -> Value) rethrows -> Value {
        guard isOn, let size = screen, let command = Pager.command, hold() else { return try body() }
        defer { release(unread(takeHeld(), size, command)) }
        return try body()
    }

    /// What of some lines is still to be shown when a pager has shown what does not fit the screen.
    private func unread(_ held: [Held], _ size: (columns: Int, rows: Int), _ command: String) -> [Held] {
        let lines = held.flatMap { $0.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        let isLong = Pager.isLong(lines, columns: size.columns, rows: size.rows)
        guard isLong else { return held }
        holdEvents()
        return Pager.show(lines, by: command) ? [] : held
    }
}
