/// The times between the heartbeats in a log's frames, and how long a client waited for an answer. All times are in
/// milliseconds.
struct HeartbeatGaps {
    /// For each connection, the time from the login to the next heartbeat. A heartbeat that is sent with the login is
    /// not the next one.
    private(set) var firstGaps: [Int64] = []
    /// The difference between the second and the first gap of each connection.
    private(set) var firstGrowths: [Int64] = []
    /// Gaps that are as long as the previous gap.
    private(set) var steadyGaps: [Int64] = []
    private(set) var gaps: [Int64] = []
    /// The times from the first heartbeat without an answer to the loss of the connection.
    private(set) var answerLimits: [Int64] = []
    /// The times from a heartbeat to the next frame of the server.
    private(set) var answers: [Int64] = []

    private var heartbeatAt: Int64?
    private var gap: Int64?
    private var gapCount = 0
    private var unansweredAt: Int64?

    /// A heartbeat within this time after the previous one is sent with the login, or tests the connection. Such a
    /// heartbeat does not end a gap.
    private static let immediateMax: Int64 = 200
    private static let noise: Int64 = 500

    mutating func forget() {
        (heartbeatAt, gap, gapCount, unansweredAt) = (nil, nil, 0, nil)
    }

    /// Starts counting heartbeats.
    mutating func begin(at now: Int64) {
        forget()
        heartbeatAt = now
    }

    mutating func send(at now: Int64) {
        if let last = heartbeatAt, now - last >= Self.immediateMax {
            let length = now - last
            gaps.append(length)
            gapCount += 1
            if gapCount == 1 { firstGaps.append(length) }
            if gapCount == 2, let gap { firstGrowths.append(length - gap) }
            if let gap, abs(length - gap) < Self.noise { steadyGaps.append(length) }
            gap = length
        }
        heartbeatAt = now
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
