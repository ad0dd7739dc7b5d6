import SansIO

// Virtual time jumps to what comes next. Where each thing leads to another one at the same instant, it would never go on.

/// The inputs of one instant.
struct InputCount {
    private(set) var count = 0
    private var instant = Instant.zero

    mutating func note(at now: Instant) {
        if now != instant { (instant, count) = (now, 0) }
        count += 1
    }
}

extension WorldCore {
    /// So many inputs may come at one instant of virtual time.
    package static let inputsPerInstantMax = 300_000

    /// Whether so much happens at this instant that time will not go on.
    public var isStalled: Bool { isVirtual && inputCount.count > Self.inputsPerInstantMax }

    /// How many inputs there have been at the last instant.
    package var inputsAtInstant: Int { inputCount.count }
}

extension SimulatedWorld {
    /// - Throws: ``WorldError`` where time does not go on.
    func requireProgress() throws {
        guard core.isStalled else { return }
        throw WorldError(
            "time stands still at +\(core.now.secondsText): more than \(WorldCore.inputsPerInstantMax) things happen at "
                + "that instant, and each leads to the next one")
    }
}
