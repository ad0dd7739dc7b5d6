import Dispatch
import Foundation
import IMShell
import Synchronization

/// stdout and stderr, unbuffered: a person, or a program after a pipe, follows the scenario as it happens.
enum StandardStream: Int32 {
    case out = 1
    case error = 2

    /// Set once the output's reader has closed it.
    private static let isUnread = Atomic(false)
    /// Set once a write of results has failed.
    private static let hasFailed = Atomic(false)

    /// The exit code of a program whose results could not all be written: the failed write overrides any other code.
    static func checked(_ outcome: Outcome) -> Outcome {
        let isResult = [Outcome.ok, .failed, .diverged].contains(outcome)
        return isResult && hasFailed.load(ordering: .relaxed) ? .environment : outcome
    }

    /// Reports a failed write to the standard output once.
    private func noteFailure(_ number: Int32) {
        guard self == .out, !Self.hasFailed.exchange(true, ordering: .relaxed) else { return }
        Self.error.line("imrepl: cannot write the standard output: \(String(cString: strerror(number)))")
    }

    /// Opens the standard streams that the parent process has closed: otherwise the next opened file, perhaps a
    /// recording, would receive the output.
    static func openAll() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes text that is no separate line: a sequence for the terminal.
    func raw(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
    }

    /// Writes a line. If the reader is gone, the program ends without a message, as it would by the signal, and in
    /// order.
    func line(_ text: String) {
        guard !Self.isUnread.load(ordering: .relaxed) else { return }
        let number = Array((text + "\n").utf8).withUnsafeBytes { OutputFile.write($0, to: rawValue) }
        guard let number else { return }
        guard number == EPIPE else { return noteFailure(number) }
        // This may be the thread that the end waits for.
        guard !Self.isUnread.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { Signals.end(.unread) }
    }
}
