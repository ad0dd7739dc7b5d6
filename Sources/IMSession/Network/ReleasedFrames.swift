/// The frames that `net release` or `net clear` releases.
public struct ReleasedFrames: Hashable, Sendable {
    /// The number of frames that arrive now.
    public var delivered: Int
    /// The number of frames that are lost because their connection is closed.
    public var lost: Int

    /// Creates counts; zero by default.
    public init(delivered: Int = 0, lost: Int = 0) {
        self.delivered = delivered
        self.lost = lost
    }

    /// The held frames of one connection in each direction: they arrive at an open end, and are lost at a closed one.
    public init(toServer: Int, isOpenThere: Bool, toClient: Int, isOpenHere: Bool) {
        self.init(
            delivered: (isOpenThere ? toServer : 0) + (isOpenHere ? toClient : 0),
            lost: (isOpenThere ? 0 : toServer) + (isOpenHere ? 0 : toClient))
    }

    /// Adds the frames of another release.
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
        let whose = lost == 1 ? "its connection is" : "their connections are"
        return "\(released), \(lost) of them not delivered: \(whose) closed"
    }
}
