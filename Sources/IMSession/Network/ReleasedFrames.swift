/// The numbers of frames that `net release` or `net clear` has released.
public struct ReleasedFrames: Hashable, Sendable {
    /// The number of released frames that arrive.
    public var delivered: Int
    /// The number of released frames that are lost, because their connection is closed.
    public var lost: Int

    /// Creates the counts.
    public init(delivered: Int = 0, lost: Int = 0) {
        self.delivered = delivered
        self.lost = lost
    }

    /// Counts the held frames of one connection. Frames to an open end arrive, and frames to a closed end are lost.
    ///
    /// - Parameters:
    ///   - toServer: the number of held frames to the server.
    ///   - isOpenThere: true if the server's end is open.
    ///   - toClient: the number of held frames to the client.
    ///   - isOpenHere: true if the client's end is open.
    public init(toServer: Int, isOpenThere: Bool, toClient: Int, isOpenHere: Bool) {
        self.init(
            delivered: (isOpenThere ? toServer : 0) + (isOpenHere ? toClient : 0),
            lost: (isOpenThere ? 0 : toServer) + (isOpenHere ? 0 : toClient))
    }

    /// Adds the counts of another release.
    public static func += (left: inout ReleasedFrames, right: ReleasedFrames) {
        left.delivered += right.delivered
        left.lost += right.lost
    }

    /// One line for the user.
    public var text: String {
        let count = delivered + lost
        guard count > 0 else { return "no frame was held" }
        let released = "released \(count) frame\(count == 1 ? "" : "s")"
        guard lost > 0 else { return released }
        if lost == count { return "\(released): \(count == 1 ? "its connection is" : "their connections are") closed" }
        let cause = lost == 1 ? "its connection is" : "their connections are"
        return "\(released), \(lost) of them not delivered: \(cause) closed"
    }
}
