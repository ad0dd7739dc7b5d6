/// The frames that `net release` or `net clear` lets go.
public struct ReleasedFrames: Hashable, Sendable {
    /// They arrive now.
    public var delivered: Int
    /// They go nowhere: the connection of each is closed.
    public var lost: Int

    /// So many of each; none by itself.
    public init(delivered: Int = 0, lost: Int = 0) {
        self.delivered = delivered
        self.lost = lost
    }

    /// What one connection held in each direction: its frames arrive at an end that is open, and are lost at one that is
    /// closed.
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
        return "\(released), \(lost) of them in vain: \(whose) closed"
    }
}
