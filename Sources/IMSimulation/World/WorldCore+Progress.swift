import SansIO

// Virtual time jumps to the next due event. It would never advance if each event led to another one at the same
// instant.

/// Counts the inputs of one instant.
struct InputCount {
    private(set) var count = 0
    private var instant = Instant.zero

    mutating func note(at now: Instant) {
        if now != instant { (instant, count) = (now, 0) }
        count += 1
    }
}

extension WorldCore {
    /// The number of inputs that may occur at one instant of virtual time.
    package static let inputsPerInstantMax = 300_000

    /// True if more inputs occur at this instant than the limit allows, so that time does not advance.
    public var isStalled: Bool { isVirtual && inputCount.count > Self.inputsPerInstantMax }

    /// The number of inputs at the last instant.
    package var inputsAtInstant: Int { inputCount.count }
}

extension SimulatedWorld {
    /// - Throws: ``WorldError`` if time does not advance.
    func requireProgress() throws {
        guard core.isStalled else { return }
        throw WorldError(
            "virtual time does not advance at +\(core.now.secondsText): more than \(WorldCore.inputsPerInstantMax) "
                + "inputs at "
                + "that instant, each caused by the one before")
    }
}
