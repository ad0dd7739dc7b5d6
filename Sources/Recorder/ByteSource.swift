import SystemPackage

/// The bytes of a session file, readable at any offset.
///
/// A file is read, not mapped into memory. If another process truncates a mapped file, the process that accesses the
/// missing pages is killed.
final class ByteSource: Sendable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(FileDescriptor)
    }

    private let storage: Storage
    /// The length in bytes when the file was opened. Bytes that are appended later are ignored.
    let size: UInt64

    init(bytes: [UInt8]) {
        storage = .memory(bytes)
        size = UInt64(bytes.count)
    }

    init(path: FilePath) throws(SessionError) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec], retryOnInterrupt: true)
        } catch {
            throw error as? Errno == .isDirectory ? .directory : .unreadable(reason: "\(error)")
        }
        do {
            // Opening a directory succeeds, but reading it fails. The read also fails for a pipe, which has no offsets.
            // A pipe is read to its end.
            var probe: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &probe) {
                try descriptor.read(fromAbsoluteOffset: 0, into: $0, retryOnInterrupt: true)
            }
            size = UInt64(clamping: try descriptor.seek(offset: 0, from: .end))
        } catch {
            defer { try? descriptor.close() }
            guard error as? Errno == .illegalSeek else {
                throw error as? Errno == .isDirectory ? .directory : .unreadable(reason: "\(error)")
            }
            let bytes = try Self.readAll(descriptor)
            storage = .memory(bytes)
            size = UInt64(bytes.count)
            return
        }
        storage = .file(descriptor)
    }

    deinit {
        switch storage {
        case .memory: break
        case .file(let descriptor): try? descriptor.close()
        }
    }

    /// The maximum size of a session from a pipe, in bytes. It is limited because the session is kept in memory.
    private static let pipeBytesMax = 1 << 30

    /// Reads a pipe to its end.
    private static func readAll(_ descriptor: FileDescriptor) throws(SessionError) -> [UInt8] {
        var all: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count: Int
            do {
                count = try block.withUnsafeMutableBytes { try descriptor.read(into: $0, retryOnInterrupt: true) }
            } catch {
                throw .unreadable(reason: "\(error)")
            }
            guard count > 0 else { return all }
            all.append(contentsOf: block[..<count])
            guard all.count <= pipeBytesMax else {
                throw .unreadable(reason: "the pipe has more than \(pipeBytesMax >> 20) MiB; write it to a file first")
            }
        }
    }

    /// Fills the target with the bytes from `offset` on.
    ///
    /// - Throws: ``SessionError/unreadable(reason:)``, also if the file has too few bytes.
    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(SessionError) {
        guard offset <= size, UInt64(target.count) <= size - offset else {
            throw .unreadable(reason: "read past the end of the file")
        }
        switch storage {
        case .memory(let bytes):
            bytes.withUnsafeBytes { all in
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(offset)...].prefix(target.count)))
            }
        case .file(let descriptor):
            var done = 0
            while done < target.count {
                let count: Int
                do {
                    count = try descriptor.read(
                        fromAbsoluteOffset: Int64(clamping: offset) + Int64(done),
                        into: UnsafeMutableRawBufferPointer(rebasing: target[done...]), retryOnInterrupt: true)
                } catch {
                    throw .unreadable(reason: "\(error)")
                }
                guard count > 0 else { throw .unreadable(reason: "the file was truncated while it was read") }
                done += count
            }
        }
    }

    func read(at offset: UInt64, count: Int) throws(SessionError) -> [UInt8] {
        var failure: SessionError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(SessionError) {
                try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
                initialized = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
