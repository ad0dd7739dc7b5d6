/// Commands that continue differently from the recording.
extension ReplayCommands {
    static let changing: [ReplayCommand] = ForkCommands.all
}
