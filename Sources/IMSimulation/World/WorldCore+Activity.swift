import Recorder

// The activity of a world as a whole.

extension WorldCore {
    /// True if anything has happened besides the server's start.
    public var hasActivity: Bool {
        if eventsSeen > events.count || nodes.contains(where: { !$0.isServer }) { return true }
        return events.contains { event in
            switch event.content {
            case .input, .environment, .mark: true
            case .header, .clock, .start, .stop, .effect, .keyframe, .closing, .unreadable: false
            }
        }
    }

    package func serverWasReached() {
        hasBeenReached = true
        unreachableReason = nil
    }

    package func serverWasNotReached(_ why: String) {
        if !hasBeenReached { unreachableReason = why }
    }
}
