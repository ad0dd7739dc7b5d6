extension SessionReader {
    /// Writes the session's bytes unchanged, followed by other parts instead of its own. If the session was cut off,
    /// all complete events are copied.
    ///
    /// It does not check the events: the caller has read the whole session before.
    ///
    /// - Throws: the error of reading or writing; the sink is closed all the same.
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
                try Self.write(block.bytes, to: sink)
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
            try Self.write(try source.read(at: offset, count: Int(count)), to: sink)
            offset += count
        }
    }

    private static func write(_ bytes: [UInt8], to sink: any ByteSink) throws(SessionError) {
        var thrown: SessionError?
        bytes.withUnsafeBytes { bytes in
            do throws(SessionError) {
                try sink.write(bytes)
            } catch {
                thrown = error
            }
        }
        if let thrown { throw thrown }
    }
}
