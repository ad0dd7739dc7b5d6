extension IMSessionSchema {
    /// The payload of an environment event.
    public static func environment(_ action: EnvironmentAction) -> [UInt8] {
        RecordCodec.bytes(of: .environment(.with { $0.command = action.command }))
    }
}
