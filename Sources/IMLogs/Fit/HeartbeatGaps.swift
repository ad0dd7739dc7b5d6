/// The times between heartbeats in a log's frames, and how long a client waited for an answer.
struct HeartbeatGaps {
    /// The times from the login, or the heartbeat sent with it, to the next heartbeat of each connection.
    private(set) var firstGaps: [Int64] = []
    /// The difference between the second and the first gap of each connection.
    private(set) var firstGrowths: [Int64] = []
    /// Gaps that equal the previous one.
    private(set) var steadyGaps: [Int64] = []
    private(set) var gaps: [Int64] = []
    /// The times from the first heartbeat without an answer to the loss of the connection.
    private(set) var answerLimits: [Int64] = []
    /// The times from a heartbeat to the next frame of the server.
    private(set) var answers: [Int64] = []

    private var beatAt: Int64?
    private var gap: Int64?
    private var gapCount = 0
    private var unansweredAt: Int64?

    /// A heartbeat within this time is sent with the login, or tests the connection.
    private static let atOnce: Int64 = 200
    private static let noise: Int64 = 500

    mutating func forget() {
        (beatAt, gap, gapCount, unansweredAt) = (nil, nil, 0, nil)
    }

    /// Starts counting heartbeats.
    mutating func begin(at now: Int64) {
        forget()
        beatAt = now
    }

    mutating func send(at now: Int64) {
        if let last = beatAt, now - last >= Self.atOnce {
            let length = now - last
            gaps.append(length)
            gapCount += 1
            if gapCount == 1 { firstGaps.append(length) }
            if gapCount == 2, let gap { firstGrowths.append(length - gap) }
            if let gap, abs(length - gap) < Self.noise { steadyGaps.append(length) }
            gap = length
        }
        beatAt = now
        unansweredAt = unansweredAt ?? now
    }

    mutating func receive(at now: Int64) {
        if let sent = unansweredAt { answers.append(now - sent) }
        unansweredAt = nil
    }

    mutating func lose(at now: Int64) {
        if let sent = unansweredAt { answerLimits.append(now - sent) }
        forget()
    }
}
