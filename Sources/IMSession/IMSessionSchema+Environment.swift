extension IMSessionSchema {
    /// The payload of an event that says what the world did.
    ///
    /// - Parameter command: as a user types it.
    public static func environment(_ command: String) -> [UInt8] {
        RecordCodec.bytes(of: .environment(.with { $0.command = command }))
    }
}
