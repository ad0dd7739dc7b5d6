/// Questions about causes.
extension ReplayCommands {
    static let asking: [ReplayCommand] = []
}
