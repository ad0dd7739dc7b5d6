extension SessionReader {
    /// Copies all complete events unchanged, and then writes the given parts in place of the session's own parts.
    ///
    /// The events are not checked. The caller must have read the whole session before, which checks them.
    ///
    /// - Throws: the error of reading or writing. The sink is closed in any case.
    public func copy(to sink: any ByteSink, attaching parts: [SessionAttachment]) throws(SessionError) {
        do throws(SessionError) {
            guard parts.count <= SessionAttachment.countMax else {
                throw .unwritable(reason: "too many parts: \(parts.count) (limit \(SessionAttachment.countMax))")
            }
            try copyEvents(to: sink)
            var chain = end.chain
            for (index, part) in parts.enumerated() {
                guard part.name.utf8.count <= SessionAttachment.nameLengthMax,
                    part.contents.count <= SessionAttachment.contentsLengthMax
                else {
                    throw .unwritable(
                        reason: "\(part.name) has \(part.contents.count) bytes "
                            + "(limit \(SessionAttachment.contentsLengthMax))")
                }
                let block = part.block(index: index + 1, of: parts.count, chain: chain)
                chain = block.chain
                try sink.write(block.bytes)
            }
        } catch {
            try? sink.close()
            throw error
        }
        try sink.close()
    }

    private static let copyLength: UInt64 = 1 << 20

    private func copyEvents(to sink: any ByteSink) throws(SessionError) {
        var offset: UInt64 = 0
        while offset < end.offset {
            let count = min(Self.copyLength, end.offset - offset)
            try sink.write(try source.read(at: offset, count: Int(count)))
            offset += count
        }
    }
}
