/// The limits after which a run reports a finding.
public struct Limits: Sendable {
    /// The time for which the main thread may be blocked.
    public var mainThreadBlock: Duration
    /// The time after which a wait without a timeout counts as a deadlock, even if other entries still run.
    public var hang: Duration
    /// The number of entries in one instant after which they count as an endless loop.
    public var entriesPerInstant: Int
    /// The time, by the machine's clock, for other threads to resume a body that nothing else can resume. This is the
    /// only real wait, and only before a test fails.
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
