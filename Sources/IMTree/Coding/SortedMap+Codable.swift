extension SortedMap: Codable where Key: Codable, Value: Codable {
    /// Reads alternating keys and values. Throws if the keys are not in ascending order or not unique.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var elements: [Element] = []
        while !container.isAtEnd {
            let key = try container.decode(Key.self)
            if let last = elements.last, last.key >= key {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "keys that are out of order")
            }
            elements.append((key, try container.decode(Value.self)))
        }
        self.init(ascending: elements)
    }

    /// Writes alternating keys and values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for (key, value) in self {
            try container.encode(key)
            try container.encode(value)
        }
    }
}
