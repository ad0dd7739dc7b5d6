/// The names of the properties and payloads that have no value in any sample. A test with such samples would not detect
/// that a codec or a table of fields omits them. No value means nil, false, zero, an empty text or an empty collection.
public func unsetProperties(in values: [Any]) -> [String] {
    var search = UnsetSearch()
    for value in values { search.inspect(at: value, named: nil) }
    return search.seen.filter { !$0.value }.keys.sorted()
}

private struct UnsetSearch {
    /// For each type and property, true if a sample has a value in it.
    var seen: [String: Bool] = [:]

    mutating func inspect(at value: Any, named name: String?) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .dictionary:
            note(name, !mirror.children.isEmpty)
            for child in mirror.children { inspect(at: child.value, named: nil) }
        case .struct, .class, .enum, .tuple:
            note(name, true)
            // An enum's case with several associated values has one child: a tuple of the values.
            let around = mirror.displayStyle == .tuple ? name ?? "" : "\(type(of: value))"
            for child in mirror.children { inspect(at: child.value, named: "\(around).\(child.label ?? "0")") }
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
