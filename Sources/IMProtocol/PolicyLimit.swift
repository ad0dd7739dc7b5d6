public import SansIO

/// How far the numbers of policies go. A policy stands in every recording, so it is looked at before a machine uses it.
public enum PolicyLimit {
    public static let countMax = 1_000_000
    /// Ten years.
    public static let durationMax = Interval.seconds(10 * 365 * 86_400)
    /// What repeats itself does so at most once in this time: more often, and a machine would do nothing else.
    public static let periodMin = Interval.milliseconds(1)
}
