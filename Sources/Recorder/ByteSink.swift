public import SystemPackage

/// Where a session's bytes go. A sink is only ever appended to.
public protocol ByteSink: AnyObject {
    /// Takes all the bytes or throws; after an error part of them may have been taken.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError)
    /// Nothing is written afterwards. May be called again.
    func close() throws(SessionError)
}

/// Keeps a session in memory.
public final class MemorySink: ByteSink {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// Nothing is written yet.
    public init() {}

    /// Appends the bytes; never fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Does nothing: what was written stays.
    public func close() throws(SessionError) {}
}

/// Writes a session to a file that only its owner can read.
public final class FileSink: ByteSink {
    /// What happens when the file exists.
    public enum Creation: Sendable {
        /// It is an error.
        case new
        /// Its contents are lost.
        case replace
    }

    /// Whether the folder has the file no more: what is written now is lost when it is closed.
    private let isDeleted: () -> Bool
    private var descriptor: FileDescriptor?
    /// What the file holds as far as it was written whole.
    private var length: Int64 = 0
    /// Part of something stands in the file and could not be taken back.
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

    /// As ``init(path:creation:)-(FilePath,_)``, for callers that do not know `FilePath`.
    public convenience init(path: String, creation: Creation) throws(SessionError) {
        try self.init(path: FilePath(path), creation: creation)
    }

    /// Writes to a descriptor that the caller opened for appending. The sink closes it.
    ///
    /// - Parameter isDeleted: asked before each write whether the file has no name any more.
    public init(adopting descriptor: Int32, isDeleted: @escaping () -> Bool = { false }) {
        self.isDeleted = isDeleted
        self.descriptor = FileDescriptor(rawValue: descriptor)
    }

    deinit {
        try? descriptor?.close()
    }

    /// Appends the bytes. Where that fails, the file is cut back to what was written whole, and can be written on;
    /// where not even that is possible, every later call fails too.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard let descriptor else { throw .unwritable(reason: "the file was closed") }
        guard !isTorn else { throw .unwritable(reason: "the file ends in the middle of something") }
        guard !isDeleted() else { throw .unwritable(reason: "the file was deleted") }
        if let number = DescriptorWriter.write(bytes, to: descriptor.rawValue) {
            // Where the disk is full part of it may be there: the file ends behind what is whole, and can go on there.
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
