import Recorder

/// Writes bytes to another sink and searches them for originals: strings that a redaction has to replace.
final class OriginalSearch: ByteSink {
    /// The minimum length of an original in bytes. Shorter ones occur in every file by chance.
    static let lengthMin = 4

    /// The originals that were found in the bytes, in the order in which they were given.
    var found: [String] { originals.filter { foundBytes.contains(Array($0.utf8)) } }

    private let sink: any ByteSink
    private let originals: [String]
    /// The originals as bytes, by their first four bytes.
    private var wanted: [UInt32: [[UInt8]]] = [:]
    private let lengthMax: Int
    private var foundBytes: Set<[UInt8]> = []
    /// The last bytes of earlier writes. An original may begin there and end in the next write.
    private var rest: [UInt8] = []

    init(in sink: any ByteSink, for originals: [String]) {
        self.sink = sink
        // Numbers are not searched, because they occur in every file.
        self.originals = originals.filter { $0.utf8.count >= Self.lengthMin && !$0.allSatisfy(\.isNumber) }
        lengthMax = self.originals.map(\.utf8.count).max() ?? 0
        for original in self.originals {
            let bytes = Array(original.utf8)
            wanted[Self.key(bytes[0], bytes[1], bytes[2], bytes[3]), default: []].append(bytes)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        try sink.write(bytes)
        guard !wanted.isEmpty else { return }
        var all = rest
        all.append(contentsOf: bytes)
        all.withUnsafeBufferPointer { search($0) }
        rest = Array(all.suffix(lengthMax - 1))
    }

    func close() throws(SessionError) { try sink.close() }

    private func search(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= Self.lengthMin else { return }
        var key = Self.key(0, bytes[0], bytes[1], bytes[2])
        for index in 3..<bytes.count {
            key = key << 8 | UInt32(bytes[index])
            guard let candidates = wanted[key] else { continue }
            for candidate in candidates where index - 3 + candidate.count <= bytes.count {
                if bytes[(index - 3)..<(index - 3 + candidate.count)].elementsEqual(candidate) {
                    foundBytes.insert(candidate)
                }
            }
        }
    }

    private static func key(_ one: UInt8, _ two: UInt8, _ three: UInt8, _ four: UInt8) -> UInt32 {
        UInt32(one) << 24 | UInt32(two) << 16 | UInt32(three) << 8 | UInt32(four)
    }
}
