import IMProtocol

/// Puts messages, and the changes of whole conversations, in one order within a millisecond. A conversation is read,
/// removed or emptied up to a time. A message that follows within the same millisecond gets a later time: it is unread,
/// and it is not gone (ZIM-9, CHAT-9).
struct MessageTimes: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The latest time of a message, milliseconds since 1970.
    private var said: Int64 = 0
    /// The latest time up to which a conversation was read, removed or emptied, milliseconds since 1970.
    private var settled: Int64 = 0

    init() {}

    /// - Parameter clock: the wall clock, milliseconds since 1970.
    /// - Returns: the time of a message that is sent now.
    mutating func nextTime(at clock: Int64) -> Int64 {
        let time = settled < clock || settled == .max ? clock : settled + 1
        said = max(said, time)
        return time
    }

    /// - Parameters:
    ///   - requested: the time up to which a device requested it; its clock may be ahead.
    ///   - clock: the wall clock, milliseconds since 1970.
    /// - Returns: the time up to which a conversation is read, removed or emptied now.
    @discardableResult
    mutating func cutoff(_ requested: Int64 = .max, at clock: Int64) -> Int64 {
        let time = min(requested, max(said, clock))
        settled = max(settled, time)
        return time
    }
}
