public import SystemPackage

/// The destination of a session's bytes. A sink only appends.
public protocol ByteSink: AnyObject {
    /// Writes all the bytes or throws; after an error some of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError)
    /// Closes the sink; nothing is written afterwards. May be called again.
    func close() throws(SessionError)
}

/// Keeps a session in memory.
public final class MemorySink: ByteSink {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty sink.
    public init() {}

    /// Appends the bytes; never fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Does nothing: the written bytes stay.
    public func close() throws(SessionError) {}
}

/// Writes a session to a file that only its owner can read.
public final class FileSink: ByteSink {
    /// The behaviour if the file exists.
    public enum Creation: Sendable {
        /// Throws an error.
        case new
        /// Replaces the file; its contents are lost.
        case replace
    }

    /// True if the file was deleted from its folder: the bytes written now are lost when it is closed.
    private let isDeleted: () -> Bool
    private var descriptor: FileDescriptor?
    /// The length of the file up to the last complete write.
    private var length: Int64 = 0
    /// True if an incomplete write is in the file and could not be rolled back.
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

    /// As ``init(path:creation:)-(FilePath,_)``, for callers without `FilePath`.
    public convenience init(path: String, creation: Creation) throws(SessionError) {
        try self.init(path: FilePath(path), creation: creation)
    }

    /// Writes to a descriptor that the caller opened for appending. The sink closes it.
    ///
    /// - Parameter isDeleted: called before each write; true if the file has no name any more.
    public init(adopting descriptor: Int32, isDeleted: @escaping () -> Bool = { false }) {
        self.isDeleted = isDeleted
        self.descriptor = FileDescriptor(rawValue: descriptor)
    }

    deinit {
        try? descriptor?.close()
    }

    /// Appends the bytes. If that fails, the file is cut back to the last complete write, and can be appended to again;
    /// if that fails too, every later call fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard let descriptor else { throw .unwritable(reason: "the file was closed") }
        guard !isTorn else { throw .unwritable(reason: "an earlier write is incomplete") }
        guard !isDeleted() else { throw .unwritable(reason: "the file was deleted") }
        if let number = DescriptorWriter.write(bytes, to: descriptor.rawValue) {
            // On a full disk some of the bytes may be written: cut the file after the last complete write.
            do { try descriptor.resize(to: length) } catch { isTorn = true }
            throw .unwritable(reason: "\(Errno(rawValue: number))")
        }
        length += Int64(bytes.count)
    }

    /// Closes the file. The system may report a failed write only now.
    public func close() throws(SessionError) {
        guard let descriptor else { return }
        self.descriptor = nil
        do {
            try descriptor.close()
        } catch {
            // Network file systems report a failed write only here.
            throw .unwritable(reason: "\(error)")
        }
    }
}
