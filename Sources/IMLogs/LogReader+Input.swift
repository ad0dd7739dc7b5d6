import Foundation
import IMSession
import IMText

extension LogReader {
    /// The maximum number of stored bytes of an incomplete line.
    private static let partialBytesMax = 1 << 16

    /// Reads a whole log.
    ///
    /// - Throws: ``LogError`` if the log is not text.
    public func read(_ bytes: [UInt8]) throws -> ObservedLog {
        guard !bytes.isEmpty else { throw LogError(description: "the file is empty") }
        try checkIsText(bytes)
        if let messages = AndroidStudioFile.messages(bytes) {
            messages.forEach(take)
        } else {
            try bytes.withUnsafeBufferPointer { bytes in
                var start = 0
                while start < bytes.count {
                    let end = Self.lineEnd(bytes, from: start)
                    lineNumber += 1
                    take(Self.text(UnsafeBufferPointer(rebasing: bytes[start..<end])), lineNumber)
                    try checkPatterns()
                    start = end + 1
                }
            }
        }
        flush()
        return finished()
    }

    // MARK: A log that grows

    /// Reads the next part of a growing log.
    ///
    /// - Returns: the events whose lines are complete.
    /// - Throws: ``LogError`` if the part is not text.
    public func feed(_ bytes: [UInt8]) throws -> [ObservedLog.Entry] {
        try checkIsText(bytes)
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { takePartialLine() }
            partialLine += part.element.prefix(Self.partialBytesMax - partialLine.count)
        }
        try checkPatterns()
        return drain()
    }

    /// Called when the log has not grown for some time, so that its last line is complete.
    ///
    /// - Returns: the events whose lines are complete.
    public func pause() -> [ObservedLog.Entry] {
        flush()
        return drain()
    }

    /// Called when the log has ended. Returns the remaining events.
    public func end() -> [ObservedLog.Entry] {
        if !partialLine.isEmpty { takePartialLine() }
        return pause()
    }

    private func takePartialLine() {
        lineNumber += 1
        take(partialLine.withUnsafeBufferPointer(Self.text), lineNumber)
        partialLine.removeAll(keepingCapacity: true)
    }

    private func drain() -> [ObservedLog.Entry] {
        defer { log.entries.removeAll(keepingCapacity: true) }
        return log.entries
    }

    /// The number of lines that no pattern matches, and the number of all lines.
    public var counts: (unknown: Int, all: Int) { (log.unknownCount, log.lineCount) }

    // MARK: Lines

    private func checkIsText(_ bytes: [UInt8]) throws(LogError) {
        if bytes.prefix(4096).contains(0) { throw LogError(description: "the file is binary: a log is text") }
    }

    private func checkPatterns() throws(LogError) {
        guard let (event, format) = slowPattern else { return }
        throw LogError(
            description: "the pattern of '\(event)' in the format '\(format)' takes too long, near line \(lineNumber); "
                + "simplify it")
    }

    private static func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 10, bytes.count - start) else {
            return bytes.count
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// The text of a line without control characters, up to a maximum length.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        PlainText.of(String(decoding: UnsafeBufferPointer(rebasing: bytes.prefix(lineBytesMax)), as: UTF8.self))
    }

    static func text(_ text: String) -> String { Array(text.utf8).withUnsafeBufferPointer(Self.text) }
}
