/// Going on in another way than the recording did.
extension ReplayCommands {
    static let changing: [ReplayCommand] = ForkCommands.all
}
