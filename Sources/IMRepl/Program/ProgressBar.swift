import Foundation

/// The progress of long work, in one line of a terminal. Shows nothing for short work.
final class ProgressBar {
    private let total: Int
    private let write: ((String) -> Void)?
    private let elapsed: () -> Duration
    private var shown: Int?

    /// The time before the bar is shown. Shorter work needs no bar.
    static let displayDelay = Duration.milliseconds(300)
    private static let width = 30

    /// - Parameters:
    ///   - write: receives the raw text; nil if the output is no terminal.
    ///   - elapsed: the duration of the work so far.
    init(total: Int, write: ((String) -> Void)?, elapsed: @escaping () -> Duration) {
        self.total = max(total, 1)
        self.write = write
        self.elapsed = elapsed
    }

    /// A progress bar on stderr, if that is a terminal.
    static func onTerminal(total: Int) -> ProgressBar {
        let start = ContinuousClock.now
        let isTerminal = isatty(STDERR_FILENO) != 0
        return ProgressBar(total: total, write: isTerminal ? { FileHandle.standardError.write(Data($0.utf8)) } : nil) {
            ContinuousClock.now - start
        }
    }

    /// - Parameter part: the completed part of the next piece, between 0 and 1.
    func show(done: Int, part: Double = 0) {
        guard let write, elapsed() >= Self.displayDelay else { return }
        let whole = min(max((Double(done) + part) / Double(total), 0), 1)
        let percent = Int(whole * 100)
        guard percent != shown else { return }
        shown = percent
        let filled = Int(whole * Double(Self.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        write("\r[\(bar)] \(percent) %, \(min(done, total)) of \(total)\u{1B}[K")
    }

    /// Removes the bar. Call it before other lines are written, and at the end.
    func clear() {
        guard shown != nil else { return }
        shown = nil
        write?("\r\u{1B}[K")
    }
}
