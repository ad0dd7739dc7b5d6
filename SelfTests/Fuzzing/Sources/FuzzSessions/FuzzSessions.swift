import Recorder
import SansIO

/// Reads the bytes as a session file, in each way in which the program reads one.
@_cdecl("LLVMFuzzerTestOneInput")
public func readSession(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let reader = try? SessionReader(bytes: bytes) else { return 0 }
    _ = try? reader.events()
    for entry in reader.index.prefix(4) {
        let scanner = reader.makeScanner(from: entry)
        while let view = try? scanner.next() { _ = view.comment }
    }
    for node in reader.nodes.indices.prefix(4) { _ = reader.name(of: NodeIndex(rawValue: UInt16(node))) }
    _ = reader.nearestEntry(of: .session, upTo: .max)
    try? reader.copy(to: MemorySink(), attaching: reader.attachments)
    return 0
}
