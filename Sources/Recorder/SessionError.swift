/// The reason why a session file could not be written, read or replayed.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operating system refused to open or read the file.
    case unreadable(reason: String)
    /// The operating system refused to create or write the file. Earlier writes are intact.
    case unwritable(reason: String)
    /// The path names a directory.
    case directory
    /// The file has no bytes.
    case empty
    /// The file does not start like a pcapng file.
    case notASession
    /// The file is a pcapng in big-endian byte order, which no recorder writes.
    case bigEndian
    /// The file is a pcapng that another program wrote or rewrote.
    case foreignCapture(application: String)
    /// The file has a newer version of the session format than this program can read.
    case newerFormat(found: UInt64, supported: UInt64)
    /// The file was cut off before the end of its first event.
    case cutBeforeHeader(bytes: UInt64)
    /// Bytes were changed, lost or added. `event` is the first event that differs from the written one.
    case damaged(event: UInt64, reason: String)
    /// Bytes of an attachment were changed, lost or added. `after` is the session's last event.
    case damagedAttachment(after: UInt64, reason: String)
    /// The file contains several sessions. `event` is the number of the event that the next session replaces.
    case merged(event: UInt64)
    /// The session contains machines that the schema does not support.
    case otherFormat(found: String, expected: String)
    /// Machines of another behaviour version made the recording, so that a replay would prove nothing.
    case otherBehaviour(found: UInt32, expected: UInt32)
    /// The bytes of an event are intact, but the schema cannot decode them.
    case undecodable(event: UInt64, node: String, reason: String)
    /// An input, a stop or a keyframe concerns a machine that was not running.
    case notStarted(event: UInt64, node: String)
    /// An input leads to more effects than any real machine has, so the recording is not genuine.
    case tooManyEffects(event: UInt64, node: String, limit: Int)
    /// A payload exceeds the maximum length of a packet, in bytes. The recording stops before this event.
    case payloadTooLarge(role: EventRole, bytes: Int, limit: Int)
    /// The session has more nodes than it can number.
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
