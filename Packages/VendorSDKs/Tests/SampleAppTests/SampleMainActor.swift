import Dispatch
import Foundation

/// A view model on the main actor, with thread hops as apps write them.
@MainActor
final class SampleMainActor {
    private(set) var order: [String] = []

    func note(_ word: String) {
        order.append(word)
    }

    nonisolated func report(_ word: String) {
        Task { @MainActor in note(word) }
    }

    /// The task starts on any thread, and hops to the main actor.
    nonisolated func reportLater(_ word: String) {
        Task { await note(word) }
    }

    nonisolated func reportByQueue(_ word: String) {
        DispatchQueue.main.async { self.note(word) }
    }
}
