import Synchronization

/// Text that callbacks of any thread add to.
final class Collected: Sendable {
    private let pieces = Mutex<[String]>([])

    func add(_ text: String) { pieces.withLock { $0.append(text) } }

    var all: [String] { pieces.withLock { $0 } }
    var text: String { all.joined() }
}
