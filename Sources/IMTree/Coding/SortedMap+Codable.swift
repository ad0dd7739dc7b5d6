extension SortedMap: Codable where Key: Codable, Value: Codable {
    /// Reads keys and values by turns; throws for keys that are not in order, each once.
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

    /// Writes keys and values by turns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for (key, value) in self {
            try container.encode(key)
            try container.encode(value)
        }
    }
}
