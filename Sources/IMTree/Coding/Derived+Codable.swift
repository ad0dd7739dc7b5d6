// Coding of types with derived data. Only the original data is encoded. Decoding computes the derived data again.

extension OrderedNode: Codable {
    private enum CodingKeys: String, CodingKey {
        case node, order
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(TreeNode.self, forKey: .node), try container.decode(TreeOrder.self, forKey: .order))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(node, forKey: .node)
        try container.encode(order, forKey: .order)
    }
}

extension PendingTreeWrites: Codable {
    init(from decoder: any Decoder) throws {
        self.init()
        for write in try [TreeWrite](from: decoder) { add(write) }
    }

    func encode(to encoder: any Encoder) throws { try writes.encode(to: encoder) }
}

extension TransactionExpression: Codable {
    /// Reads the text of the expression; throws if it is not a valid expression.
    public init(from decoder: any Decoder) throws {
        do {
            try self.init(decoder.singleValueContainer().decode(String.self))
        } catch let error as TransactionExpressionError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message))
        }
    }

    /// Writes the text of the expression.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
