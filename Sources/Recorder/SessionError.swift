/// The reason why a session file could not be written, read or replayed. Each description is one line for display.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operating system refused to open or read the file.
    case unreadable(reason: String)
    /// The operating system refused to create or write the file; earlier writes are intact.
    case unwritable(reason: String)
    /// The path names a directory.
    case directory
    /// The file has no bytes.
    case empty
    /// The file does not begin like a pcapng.
    case notASession
    /// A pcapng in the other byte order, which no recorder writes.
    case bigEndian
    /// A pcapng that another program wrote or rewrote.
    case foreignCapture(application: String)
    /// A session of a later format.
    case newerFormat(found: UInt64, supported: UInt64)
    /// The file was cut off before the end of its first event.
    case cutBeforeHeader(bytes: UInt64)
    /// Bytes were changed, lost or added. `event` is the first event that is not as it was written.
    case damaged(event: UInt64, reason: String)
    /// Bytes of an attachment after the session's last event were changed, lost or added.
    case damagedAttachment(after: UInt64, reason: String)
    /// Several sessions in one file.
    case merged(event: UInt64)
    /// A session of machines that this schema does not support.
    case otherFormat(found: String, expected: String)
    /// Recorded by machines of another behaviour version, so that a replay would prove nothing.
    case otherBehaviour(found: UInt32, expected: UInt32)
    /// An event is as it was written, but the schema cannot read it.
    case undecodable(event: UInt64, node: String, reason: String)
    /// An input to a machine that was not running.
    case notStarted(event: UInt64, node: String)
    /// More effects of one input than any machine has; the recording's numbers are false.
    case tooManyEffects(event: UInt64, node: String, limit: Int)
    /// A payload that exceeds the packet limit; nothing is recorded after it.
    case payloadTooLarge(role: EventRole, bytes: Int, limit: Int)
    /// More nodes than a session can number.
    case tooManyNodes(limit: Int)
    /// The event does not exist.
    case noSuchEvent(number: UInt64, last: UInt64)

    /// One line for display, without the file's name.
    public var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .unwritable(let reason): "cannot be written: \(reason)"
        case .directory: "a directory, not a session file"
        case .empty: "an empty file"
        case .notASession: "not a session (no pcapng header)"
        case .bigEndian: "not a session (a pcapng in big-endian byte order)"
        case .foreignCapture(let application):
            "a pcapng of another program" + (application.isEmpty ? "" : " (\(application))")
        case .newerFormat(let found, let supported):
            "written by a newer imrepl (session format \(found); this one reads \(supported))"
        case .cutBeforeHeader(let bytes): "truncated after \(bytes) bytes, before the end of the first event"
        case .damaged(let event, let reason): "damaged at event \(event): \(reason)"
        case .damagedAttachment(let event, let reason): "damaged after event \(event), in an attachment: \(reason)"
        case .merged(let event): "several sessions in one file: another session begins where event \(event) should be"
        case .otherFormat(let found, let expected): "a session of \(found), not of \(expected)"
        case .otherBehaviour(let found, let expected):
            "recorded with behaviour version \(found); this imrepl has version \(expected)"
        case .undecodable(let event, let node, let reason): "event \(event) of \(node) cannot be decoded: \(reason)"
        case .notStarted(let event, let node): "event \(event) is for \(node), which is not running"
        case .tooManyEffects(let event, let node, let limit):
            "event \(event) of \(node) leads to more than \(limit) effects; the recording is damaged"
        case .payloadTooLarge(let role, let bytes, let limit):
            "\(role.name) of \(bytes) bytes cannot be recorded (limit \(limit))"
        case .tooManyNodes(let limit): "more than \(limit) nodes"
        case .noSuchEvent(let number, let last): "there is no event \(number); the last one is \(last)"
        }
    }
}
