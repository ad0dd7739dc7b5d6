/// Hears how far work on many messages has come.
public struct WorkProgress: Sendable {
    /// So many pieces are done before it is said again.
    private static let step = 500

    private let show: @Sendable (_ done: Int, _ total: Int) -> Void

    /// - Parameter show: how many of how many are done; all of them at the end.
    public init(_ show: @escaping @Sendable (_ done: Int, _ total: Int) -> Void) { self.show = show }

    func tell(_ done: Int, of total: Int) {
        if done == total || done.isMultiple(of: Self.step) { show(done, total) }
    }
}
