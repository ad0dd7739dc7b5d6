/// The order of events that are due at the same time in a simulated world. Neither a network nor a clock guarantees
/// one; in one direction of one connection the order is always that of sending.
public enum DueOrder: String, Hashable, Sendable, CaseIterable {
    /// Packets before timers, older connections before newer ones, nodes in order of creation.
    case fixed
    /// Random from the seed, drawn again at each instant.
    case drawn
}
