/// The values of an event's tag, without the chain.
struct EventTag: Hashable, Sendable {
    var role: UInt8
    var node: UInt16
    var stream: UInt32
    var cause: UInt64

    /// Reads the values of the current version.
    init(_ tag: UnsafeRawBufferPointer) {
        self.init(common: tag)
        cause = tag.load64(at: 16)
    }

    /// Reads the values that every version has; the others are zero.
    init(common tag: UnsafeRawBufferPointer) {
        role = tag[0]
        node = tag.load16(at: 2)
        stream = tag.load32(at: 4)
        cause = 0
    }
}

/// The reading of events of an older format: one step for each version, with the length of its tag and the conversion
/// of its values to the next version. A file is not rewritten; its header keeps its version.
struct FormatMigration: Sendable {
    /// The version that the step reads.
    let version: UInt8
    let tagLength: Int
    /// Converts a tag to the next version.
    let step: @Sendable (inout EventTag) -> Void

    /// In order, without gaps, up to the version before the current one.
    static let steps = [
        // Causes were not recorded. A reader that needs one derives it from the events' contents.
        FormatMigration(version: 1, tagLength: 16) { $0.cause = 0 }
    ]

    /// The length of an event's tag; nil for a version that never existed.
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
