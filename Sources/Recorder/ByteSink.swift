public import SystemPackage

/// The destination of a session's bytes. Bytes are only appended, never changed.
public protocol ByteSink: AnyObject {
    /// Appends all the bytes. If this throws, some of them may have been appended.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError)
    /// Closes the sink. Nothing can be written afterwards. A second call has no effect.
    func close() throws(SessionError)
}

extension ByteSink {
    /// Appends the bytes of an array. The closure of `withUnsafeBytes` cannot throw a typed error, so the error is
    /// passed out of it in a variable.
    func write(_ bytes: [UInt8]) throws(SessionError) {
        var thrown: SessionError?
        bytes.withUnsafeBytes { bytes in
            do throws(SessionError) {
                try write(bytes)
            } catch {
                thrown = error
            }
        }
        if let thrown { throw thrown }
    }
}

/// A sink that keeps the session in memory.
public final class MemorySink: ByteSink {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty sink.
    public init() {}

    /// Appends the bytes; never fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Does nothing. The written bytes can still be read.
    public func close() throws(SessionError) {}
}

/// A sink that writes the session to a file. Only the file's owner can read it.
public final class FileSink: ByteSink {
    /// The behaviour if the file exists.
    public enum Creation: Sendable {
        /// Throws an error.
        case new
        /// Replaces the file. The old contents are lost.
        case replace
    }

    /// Returns true if the file was deleted from its folder. Bytes that are written after that are lost when the file
    /// is closed.
    private let isDeleted: () -> Bool
    private var descriptor: FileDescriptor?
    /// The length of the file up to the last complete write.
    private var length: Int64 = 0
    /// True if the file ends with an incomplete write that could not be removed.
    private var isTorn = false

    /// Creates the file with mode 0600 and opens it for appending.
    ///
    /// - Throws: ``SessionError/unwritable(reason:)``.
    public init(path: FilePath, creation: Creation) throws(SessionError) {
        let options: FileDescriptor.OpenOptions =
            switch creation {
            case .new: [.create, .exclusiveCreate, .append, .closeOnExec]
            case .replace: [.create, .truncate, .append, .closeOnExec]
            }
        isDeleted = { false }
        do {
            descriptor = try FileDescriptor.open(
                path, .writeOnly, options: options, permissions: [.ownerReadWrite], retryOnInterrupt: true)
        } catch {
            throw .unwritable(reason: "\(error)")
        }
    }

    /// Does the same as ``init(path:creation:)-(FilePath,_)``, for callers that do not import `FilePath`.
    public convenience init(path: String, creation: Creation) throws(SessionError) {
        try self.init(path: FilePath(path), creation: creation)
    }

    /// Writes to a descriptor that the caller opened for appending. The sink closes the descriptor.
    ///
    /// - Parameter isDeleted: called before each write; returns true if the file was deleted from its folder.
    public init(adopting descriptor: Int32, isDeleted: @escaping () -> Bool = { false }) {
        self.isDeleted = isDeleted
        self.descriptor = FileDescriptor(rawValue: descriptor)
    }

    deinit {
        try? descriptor?.close()
    }

    /// Appends the bytes. If this fails, the file is truncated after the last complete write, and later calls can
    /// succeed. If truncating fails too, every later call throws.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard let descriptor else { throw .unwritable(reason: "the file was closed") }
        guard !isTorn else { throw .unwritable(reason: "an earlier write is incomplete") }
        guard !isDeleted() else { throw .unwritable(reason: "the file was deleted") }
        if let number = DescriptorWriter.write(bytes, to: descriptor.rawValue) {
            // If the disk is full, a part of the bytes may have been written.
            do { try descriptor.resize(to: length) } catch { isTorn = true }
            throw .unwritable(reason: "\(Errno(rawValue: number))")
        }
        length += Int64(bytes.count)
    }

    /// Closes the file.
    ///
    /// - Throws: ``SessionError/unwritable(reason:)``. Network file systems report some failed writes only here.
    public func close() throws(SessionError) {
        guard let descriptor else { return }
        self.descriptor = nil
        do {
            try descriptor.close()
        } catch {
            throw .unwritable(reason: "\(error)")
        }
    }
}
