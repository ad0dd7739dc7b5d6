import Foundation

/// Reads lines from a file descriptor and checks their length and their UTF-8.
struct LineInput {
    private static let chunkBytes = 64 * 1024

    private let descriptor: Int32
    private let source: String
    private let lineBytesMax: Int
    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte that was not returned in a line yet.
    private var start = 0
    private var isAtEnd = false
    private(set) var lineNumber = 0

    init(descriptor: Int32, source: String, lineBytesMax: Int) {
        self.descriptor = descriptor
        self.source = source
        self.lineBytesMax = lineBytesMax
    }

    /// The next line; nil at the end of the input.
    mutating func next() throws(LineError) -> String? {
        var searched = start
        while true {
            if let newline = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = buffer[start..<newline]
                start = newline + 1
                return try checked(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
            }
            searched = buffer.count
            if buffer.count - start > lineBytesMax + 1 {
                try skipLine()
            }
            if isAtEnd {
                guard start < buffer.count else { return nil }
                let bytes = buffer[start...]
                start = buffer.count
                return try checked(bytes)
            }
            searched -= start
            try fill()
        }
    }

    private mutating func fill() throws(LineError) {
        buffer.removeFirst(start)
        start = 0
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                buffer += chunk[..<count]
                return
            }
            if count == 0 {
                isAtEnd = true
                return
            }
            switch errno {
            case EINTR:
                continue
            case EAGAIN:
                // Another program that shares the descriptor made it non-blocking, so this waits until the descriptor
                // has bytes.
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
            case let code:
                isAtEnd = true
                throw error(1, .unreadable(SystemFailure(code)), line: lineNumber + 1)
            }
        }
    }

    /// Skips the rest of a line that is too long, and throws the error for it.
    private mutating func skipLine() throws(LineError) {
        lineNumber += 1
        let failure = error(lineBytesMax + 1, .tooLong(bytesMax: lineBytesMax))
        while true {
            if let newline = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                start = newline + 1
                throw failure
            }
            start = buffer.count
            if isAtEnd { throw failure }
            try fill()
        }
    }

    private mutating func checked(_ bytes: ArraySlice<UInt8>) throws(LineError) -> String {
        lineNumber += 1
        var bytes = bytes
        if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = bytes.dropFirst(3)
        }
        guard bytes.count <= lineBytesMax else {
            throw error(lineBytesMax + 1, .tooLong(bytesMax: lineBytesMax))
        }
        if let nul = bytes.firstIndex(of: 0), let validPrefix = String(validating: bytes[..<nul], as: UTF8.self) {
            throw error(validPrefix.unicodeScalars.count + 1, .nulByte)
        }
        guard let line = String(validating: bytes, as: UTF8.self) else {
            let (column, byte) = firstInvalidByte(in: bytes)
            throw error(column, .invalidUTF8(byte: byte))
        }
        return line
    }

    /// The column and the value of the first byte that is not valid UTF-8.
    private func firstInvalidByte(in bytes: ArraySlice<UInt8>) -> (column: Int, byte: UInt8) {
        var decoder = UTF8()
        var column = 1
        var valid = bytes.startIndex
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            column += 1
            valid += UTF8.width(scalar)
        }
        return (column, valid < bytes.endIndex ? bytes[valid] : 0)
    }

    private func error(_ column: Int, _ problem: LineError.Problem, line: Int? = nil) -> LineError {
        LineError(source: source, line: line ?? lineNumber, column: column, problem: problem)
    }
}
