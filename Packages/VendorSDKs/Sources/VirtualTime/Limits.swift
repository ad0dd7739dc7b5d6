/// When something counts as wrong.
public struct Limits: Sendable {
    /// How long the main thread may stand still.
    public var mainThreadBlock: Duration
    /// How long a wait without a timeout lasts before it counts as a deadlock, though other things still happen.
    public var hang: Duration
    /// How many entries run in one instant before they count as a loop without end.
    public var entriesPerInstant: Int
    /// How long, by the machine's clock, other threads have to let a body go on that nothing else can; the only wait of
    /// that kind, and only before a test fails.
    public var patience: Duration

    public init(
        mainThreadBlock: Duration = .milliseconds(250), hang: Duration = .seconds(60),
        entriesPerInstant: Int = 100_000, patience: Duration = .seconds(5)
    ) {
        self.mainThreadBlock = mainThreadBlock
        self.hang = hang
        self.entriesPerInstant = entriesPerInstant
        self.patience = patience
    }
}
