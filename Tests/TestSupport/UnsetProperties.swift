/// Properties and payloads that have nothing in them in any of the values: what a codec or a table of fields leaves out of
/// such a one no test would notice. Nothing is nil, false, zero, an empty text or an empty collection.
public func unsetProperties(in values: [Any]) -> [String] {
    var search = UnsetSearch()
    for value in values { search.look(at: value, named: nil) }
    return search.seen.filter { !$0.value }.keys.sorted()
}

private struct UnsetSearch {
    /// By type and name; whether anything was ever there.
    var seen: [String: Bool] = [:]

    mutating func look(at value: Any, named name: String?) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .dictionary:
            note(name, !mirror.children.isEmpty)
            for child in mirror.children { look(at: child.value, named: nil) }
        case .struct, .class, .enum, .tuple:
            note(name, true)
            // An enum's case with several values holds a tuple of them.
            let around = mirror.displayStyle == .tuple ? name ?? "" : "\(type(of: value))"
            for child in mirror.children { look(at: child.value, named: "\(around).\(child.label ?? "0")") }
        default:
            let isSet =
                switch value {
                case let text as String: !text.isEmpty
                case let flag as Bool: flag
                case is any BinaryInteger: "\(value)" != "0"
                case is any BinaryFloatingPoint: "\(value)" != "0.0"
                default: true
                }
            note(name, isSet)
        }
    }

    private mutating func note(_ name: String?, _ isSet: Bool) {
        if let name { seen[name] = seen[name, default: false] || isSet }
    }
}
