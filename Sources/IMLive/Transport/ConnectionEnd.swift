/// The reason why a connection ended, or could not be opened.
public enum ConnectionEnd: Error, Hashable, Sendable {
    /// This side closed or aborted it.
    case closedHere
    /// The peer closed it in an orderly way. The code is 1005 if the peer sent none (RFC 6455, 7.1.5).
    case closedByPeer(code: UInt16, reason: String)
    /// The connection was reset by the peer, or its stream ended without a close.
    case reset
    /// The device's network is down.
    case networkDown
    /// No process listens at the address.
    case refused
    /// The time limit expired before the connection was open.
    case timedOut
    /// The host cannot be reached; the text contains the reason.
    case unreachable(String)
    /// The host's name has no address.
    case unresolvedHost(String)
    /// TLS failed: a certificate that is not trusted, a wrong name, a missing file.
    case tls(String)
    /// The peer answered, but not with a WebSocket.
    case handshake(String)
    /// The URL is invalid.
    case invalidURL(String)
    /// The peer violated the protocol, and the connection was closed with this code: 1002, 1003 (text), 1009 (too big).
    case violation(code: UInt16, String)
}

extension ConnectionEnd: CustomStringConvertible {
    /// The message for people, in one line.
    public var description: String {
        switch self {
        case .closedHere: "closed on this side"
        case .closedByPeer(let code, let reason):
            reason.isEmpty ? "closed by the peer (\(code))" : "closed by the peer (\(code): \(reason))"
        case .reset: "connection reset"
        case .networkDown: "network is down"
        case .refused: "connection refused"
        case .timedOut: "connection timed out"
        case .unreachable(let text): "host unreachable: \(text)"
        case .unresolvedHost(let host): "host '\(host)' has no address"
        case .tls(let text): "TLS failed: \(text)"
        case .handshake(let text): "no WebSocket: \(text)"
        case .invalidURL(let text): "invalid URL: \(text)"
        case .violation(let code, let text): "protocol violation (\(code)): \(text)"
        }
    }
}
