import Foundation

/// stdout and stderr, unbuffered: a person, or a program behind a pipe, follows the story as it happens.
enum StandardStream: Int32 {
    case out = 1
    case error = 2

    /// Writes a line. When the reader is gone, the program ends quietly, as it would by the signal.
    func line(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(rawValue, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EPIPE {
                exit(141)
            } else if errno != EINTR && errno != EAGAIN {
                return
            }
        }
    }
}
