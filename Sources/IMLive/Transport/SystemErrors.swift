import Foundation
import NIOCore
import NIOPosix

extension ConnectionEnd {
    /// The reason for the end of an attempt to connect that failed with an error.
    init(connecting error: any Error, host: String) {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else {
                self = .unresolvedHost(host)
                return
            }
            self.init(connecting: first.error, host: host)
            return
        }
        switch error {
        case ChannelError.connectTimeout:
            self = .timedOut
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            self = .refused
        case let error as IOError where error.errnoCode == ETIMEDOUT:
            self = .timedOut
        case let error as IOError where error.errnoCode == ECONNRESET:
            self = .reset
        default:
            self = .unreachable("\(error)")
        }
    }
}

extension ListenError {
    init(binding error: any Error, host: String, port: Int) {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self = .portTaken(host: host, port: port)
        case let error as IOError where error.errnoCode == EACCES:
            self = .notPermitted(host: host, port: port)
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            self = .addressUnavailable(host: host)
        case is SocketAddressError:
            self = .addressUnavailable(host: host)
        default:
            self = .failed("\(error)")
        }
    }
}
