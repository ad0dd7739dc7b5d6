public import SansIO

/// The limits of the numbers in policies. A policy from a recording may contain any numbers, so it is checked before a
/// machine uses it.
public enum PolicyLimit {
    /// The largest valid number that is not a number of bytes.
    public static let countMax = 1_000_000
    /// The largest valid number of bytes.
    public static let bytesMax = 1 << 30
    /// The maximum duration: ten years.
    public static let durationMax = Interval.seconds(10 * 365 * 86_400)
    /// The minimum period of a repeating timer. With a shorter period a machine would only handle timers.
    public static let periodMin = Interval.milliseconds(1)
    /// The maximum number of elements of a list.
    public static let listCountMax = 1000

    /// The name of the first field of a policy, or of a value in it, that is out of the range for its type; nil if all
    /// are valid. The fields are found by reflection, so that a new field is checked too. A field of a type that is not
    /// supported here counts as invalid, and a test of the profiles then fails.
    public static func validationError(in policy: some Any) -> String? {
        for child in Mirror(reflecting: policy).children {
            if let label = child.label, !isWithin(child.value, label) { return label }
        }
        return nil
    }

    private static func isWithin(_ value: some Any, _ name: String) -> Bool {
        switch value {
        case let interval as Interval: return (Interval.zero...durationMax).contains(interval)
        case let count as Int: return (0...maximum(of: name)).contains(count)
        case let count as Int64: return (0...Int64(maximum(of: name))).contains(count)
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

    private static func maximum(of name: String) -> Int { name.contains("Bytes") ? bytesMax : countMax }
}
