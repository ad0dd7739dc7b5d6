public import SansIO

/// How far the numbers of policies go. A policy stands in every recording, so it is looked at before a machine uses it.
public enum PolicyLimit {
    /// The largest count of a policy that is not one of bytes.
    public static let countMax = 1_000_000
    /// Where a count is one of bytes.
    public static let bytesMax = 1 << 30
    /// Ten years.
    public static let durationMax = Interval.seconds(10 * 365 * 86_400)
    /// What repeats itself does so at most once in this time: more often, and a machine would do nothing else.
    public static let periodMin = Interval.milliseconds(1)
    /// Elements of a list.
    public static let listCountMax = 1000

    /// The first field of a policy, however deep, that holds what its type cannot mean in a policy; nil when there is
    /// none. A new field is judged by its type as soon as it is there; one of a type that nobody has thought of is a flaw
    /// itself, which a test of the profiles finds.
    public static func flaw(in policy: some Any) -> String? {
        for child in Mirror(reflecting: policy).children {
            if let label = child.label, !isWithin(child.value, label) { return label }
        }
        return nil
    }

    private static func isWithin(_ value: some Any, _ name: String) -> Bool {
        switch value {
        case let interval as Interval: return (Interval.zero...durationMax).contains(interval)
        case let count as Int: return (0...whole(name)).contains(count)
        case let count as Int64: return (0...Int64(whole(name))).contains(count)
        case is Bool, is String, is UInt8, is UInt32, is UInt64, is ClosedRange<UInt32>: return true
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .enum, .struct, .tuple, .collection:
            return mirror.children.count <= listCountMax
                && mirror.children.allSatisfy { isWithin($0.value, $0.label ?? name) }
        default: return false
        }
    }

    private static func whole(_ name: String) -> Int { name.contains("Bytes") ? bytesMax : countMax }
}
