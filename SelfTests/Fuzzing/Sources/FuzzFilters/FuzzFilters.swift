import Foundation
import IMDebugger
import IMProfiles
import IMText
import Recorder

/// The recording whose path is in the environment variable IMREPL_FUZZ_RECORDING. Its first events are filtered.
private let recording: SessionReader = {
    guard let path = ProcessInfo.processInfo.environment["IMREPL_FUZZ_RECORDING"],
        let bytes = FileManager.default.contents(atPath: path)
    else { fatalError("IMREPL_FUZZ_RECORDING names no recording") }
    do {
        return try SessionReader(bytes: Array(bytes))
    } catch {
        fatalError("\(path): \(error)")
    }
}()

/// Parses the bytes as a filter and applies it to events, with and without peeking at an event before it is decoded.
/// Both must give the same result.
@_cdecl("LLVMFuzzerTestOneInput")
public func readFilter(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let source = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    let filter: Filter
    do throws(FilterError) {
        filter = try Filter(parsing: source)
    } catch {
        precondition(error.offset >= 0 && error.offset <= source.count, "a place outside the filter")
        _ = error.text
        return 0
    }
    let scans = [true, false].map { FilterScan(filter, of: recording, dialect: NIMDialect(), peeks: $0) }
    let scanner = recording.makeScanner()
    var left = 60
    while left > 0, let view = try? scanner.next() {
        let found = scans.map { $0.take(view)?.number }
        precondition(found[0] == found[1], "a peek refused event \(view.number)")
        left -= 1
    }
    return 0
}
