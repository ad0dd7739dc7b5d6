import SystemPackage

/// Writes all bytes of a buffer to a file descriptor.
package enum DescriptorWriter {
    /// Repeats the write until the system has accepted all bytes.
    ///
    /// - Parameter wait: called if the descriptor is not writable; returns when it is writable again.
    /// - Returns: the error number (`errno`); nil if everything was written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, wait: () -> Void = {}) -> Int32? {
        write(bytes) { part throws(Errno) in
            do {
                return try FileDescriptor(rawValue: descriptor).write(part, retryOnInterrupt: true)
            } catch Errno.wouldBlock {
                wait()
                return nil
            } catch {
                throw (error as? Errno) ?? .ioError
            }
        }
    }

    /// Repeats the write until `system` has accepted all bytes.
    ///
    /// - Parameter system: writes some of the bytes and returns their number; nil if the write must be repeated.
    static func write(
        _ bytes: UnsafeRawBufferPointer, with system: (UnsafeRawBufferPointer) throws(Errno) -> Int?
    ) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            do throws(Errno) {
                guard let count = try system(rest) else { continue }
                guard count > 0, count <= rest.count else { return Errno.noSpace.rawValue }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } catch {
                return error.rawValue
            }
        }
        return nil
    }
}
