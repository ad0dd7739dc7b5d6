/// In which order things happen that are due at the same moment in a simulated world. Neither a network nor a clock
/// promises one; within one direction of one link the order is that of sending, always.
public enum DueOrder: String, Hashable, Sendable, CaseIterable {
    /// Packets before timers, older links before newer ones, nodes in the order in which they were made.
    case fixed
    /// As the seed says, at each moment anew.
    case drawn
}
