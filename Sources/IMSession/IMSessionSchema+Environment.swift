extension IMSessionSchema {
    /// The payload of an event that says what the world did.
    public static func environment(_ action: EnvironmentAction) -> [UInt8] {
        RecordCodec.bytes(of: .environment(.with { $0.command = action.command }))
    }
}
