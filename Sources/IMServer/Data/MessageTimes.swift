import IMProtocol

/// Gives messages their times, so that messages and changes of whole conversations have one order even within a
/// millisecond. A conversation is read, removed or emptied up to a time. A message that is sent later in the same
/// millisecond gets a later time. Otherwise that message would count as read, or would be removed (ZIM-9, CHAT-9).
struct MessageTimes: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The latest time of a message, milliseconds since 1970.
    private var latestMessage: Int64 = 0
    /// The latest time up to which a conversation was read, removed or emptied, milliseconds since 1970.
    private var latestCutoff: Int64 = 0

    init() {}

    /// - Parameter clock: the wall clock, milliseconds since 1970.
    /// - Returns: the time for a message that is sent now, milliseconds since 1970.
    mutating func nextTime(at clock: Int64) -> Int64 {
        let time = latestCutoff < clock || latestCutoff == .max ? clock : latestCutoff + 1
        latestMessage = max(latestMessage, time)
        return time
    }

    /// - Parameters:
    ///   - requested: the time up to which a device wants to read, remove or empty the conversation, milliseconds since
    ///     1970. It may be in the future, because the clock of the device may be fast.
    ///   - clock: the wall clock, milliseconds since 1970.
    /// - Returns: the time up to which the conversation is read, removed or emptied: the requested time, but not after
    ///   now or the latest message.
    mutating func cutoff(_ requested: Int64 = .max, at clock: Int64) -> Int64 {
        let time = min(requested, max(latestMessage, clock))
        latestCutoff = max(latestCutoff, time)
        return time
    }
}
