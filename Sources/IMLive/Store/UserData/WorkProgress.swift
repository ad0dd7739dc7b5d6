/// Receives the progress of work on many messages.
public struct WorkProgress: Sendable {
    /// The number of items between two reports.
    private static let step = 500

    private let show: @Sendable (_ done: Int, _ total: Int) -> Void

    /// - Parameter show: receives the number of finished items and the number of all items. At the end both are equal.
    public init(_ show: @escaping @Sendable (_ done: Int, _ total: Int) -> Void) { self.show = show }

    func report(_ done: Int, of total: Int) {
        if done == total || done.isMultiple(of: Self.step) { show(done, total) }
    }
}
