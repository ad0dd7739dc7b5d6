import Dispatch
import Foundation
import IMShell
import Synchronization

/// stdout and stderr, unbuffered: a user, or a program that reads the pipe, gets each line as soon as it is written.
enum StandardStream: Int32 {
    case out = 1
    case error = 2

    /// True after the reader of the output has closed it.
    private static let isUnread = Atomic(false)
    /// True after a write of results has failed.
    private static let hasFailed = Atomic(false)

    /// The outcome with which the program ends. If a write of results has failed, this is `.environment` instead of
    /// `.ok`, `.failed` or `.diverged`.
    static func checked(_ outcome: Outcome) -> Outcome {
        let isResult = [Outcome.ok, .failed, .diverged].contains(outcome)
        return isResult && hasFailed.load(ordering: .relaxed) ? .environment : outcome
    }

    /// Reports a failed write to the standard output once.
    private func noteFailure(_ number: Int32) {
        guard self == .out, !Self.hasFailed.exchange(true, ordering: .relaxed) else { return }
        Self.error.line("imrepl: cannot write the standard output: \(String(cString: strerror(number)))")
    }

    /// Opens the standard streams that the parent process has closed. Otherwise the next file that is opened, such as a
    /// recording, would get the number of a stream and receive the output.
    static func openAll() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes text that is no separate line: a sequence for the terminal.
    func raw(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
    }

    /// Writes a line. If the reader has closed the stream, the program ends without a message, as by SIGPIPE. Unlike
    /// SIGPIPE, this completes the recording first.
    func line(_ text: String) {
        guard !Self.isUnread.load(ordering: .relaxed) else { return }
        let number = Array((text + "\n").utf8).withUnsafeBytes { OutputFile.write($0, to: rawValue) }
        guard let number else { return }
        guard number == EPIPE else { return noteFailure(number) }
        // On another thread, because the end of the program may wait for this one.
        guard !Self.isUnread.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { Signals.end(.unread) }
    }
}
