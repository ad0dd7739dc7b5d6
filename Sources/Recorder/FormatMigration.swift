/// The values of an event's tag, without the chain.
struct EventTag: Hashable, Sendable {
    var role: UInt8
    var node: UInt16
    var stream: UInt32
    var cause: UInt64

    /// Reads a tag of the current version.
    init(_ tag: UnsafeRawBufferPointer) {
        self.init(common: tag)
        cause = tag.load64(at: 16)
    }

    /// Reads the values that the tags of all versions have. The other values are zero.
    init(common tag: UnsafeRawBufferPointer) {
        role = tag[0]
        node = tag.load16(at: 2)
        stream = tag.load32(at: 4)
        cause = 0
    }
}

/// A step that converts the tag of an event from an older version of the format to the next version. Events are
/// converted when they are read. The file is not changed.
struct FormatMigration: Sendable {
    /// The version from which the step converts.
    let version: UInt8
    /// The length of the tag in this version, in bytes.
    let tagLength: Int
    /// Converts a tag to the next version.
    let step: @Sendable (inout EventTag) -> Void

    /// The steps for all older versions, in order.
    static let steps = [
        // Version 1 did not record causes. A program that needs a cause derives it from the contents of the events.
        FormatMigration(version: 1, tagLength: 16) { $0.cause = 0 }
    ]

    /// The length of an event's tag in a version, in bytes; nil for a version that never existed.
    static func tagLength(of version: UInt8) -> Int? {
        if version == SessionFormat.version { return SessionFormat.tagEventLength }
        return steps.first { $0.version == version }?.tagLength
    }

    /// Reads a tag of an older version.
    static func migrated(_ tag: UnsafeRawBufferPointer, from version: UInt8) -> EventTag {
        var event = EventTag(common: tag)
        for migration in steps where migration.version >= version { migration.step(&event) }
        return event
    }
}
