import Dispatch
import Foundation
import IMShell
import Synchronization

/// stdout and stderr, unbuffered: a person, or a program behind a pipe, follows the scenario as it happens.
enum StandardStream: Int32 {
    case out = 1
    case error = 2

    /// Set once nobody reads any more.
    private static let isUnread = Atomic(false)
    /// Set once results could not be written.
    private static let hasFailed = Atomic(false)

    /// The exit code of a program whose results could not all be written: they are worth no other code.
    static func checked(_ outcome: Outcome) -> Outcome {
        let isResult = [Outcome.ok, .failed, .diverged].contains(outcome)
        return isResult && hasFailed.load(ordering: .relaxed) ? .environment : outcome
    }

    /// Reports a failed write to the standard output once.
    private func noteFailure(_ number: Int32) {
        guard self == .out, !Self.hasFailed.exchange(true, ordering: .relaxed) else { return }
        Self.error.line("imrepl: cannot write the standard output: \(String(cString: strerror(number)))")
    }

    /// Opens the three standard streams that whoever started the program has closed: the next file that is opened, a
    /// recording perhaps, would else stand where the words go.
    static func openAll() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes what is no line of its own: a sequence for the terminal.
    func raw(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
    }

    /// Writes a line. When the reader is gone, the program ends quietly, as it would by the signal, and in order.
    func line(_ text: String) {
        guard !Self.isUnread.load(ordering: .relaxed) else { return }
        let number = Array((text + "\n").utf8).withUnsafeBytes { OutputFile.write($0, to: rawValue) }
        guard let number else { return }
        guard number == EPIPE else { return noteFailure(number) }
        // This may be the thread that the ending waits for.
        guard !Self.isUnread.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { Signals.end(.unread) }
    }
}
