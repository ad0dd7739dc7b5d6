import Synchronization

/// A text to which callbacks on any thread add.
final class Collected: Sendable {
    private let pieces = Mutex<[String]>([])

    func add(_ text: String) { pieces.withLock { $0.append(text) } }

    var all: [String] { pieces.withLock { $0 } }
    var text: String { all.joined() }
}
