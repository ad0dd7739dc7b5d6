/// The reason why a connection ended, or could not be opened.
public enum ConnectionEnd: Error, Hashable, Sendable {
    /// This side closed or aborted the connection.
    case closedHere
    /// The peer closed the connection with a close frame. The code is 1005 if the frame has none (RFC 6455, 7.1.5).
    case closedByPeer(code: UInt16, reason: String)
    /// The peer reset the connection, or its stream ended without a close frame.
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
    /// TLS failed, for example because of a certificate that is not trusted, a wrong name or a missing file.
    case tls(String)
    /// The peer answered, but not with a WebSocket.
    case handshake(String)
    /// The URL is invalid.
    case invalidURL(String)
    /// The peer violated the protocol, and the connection was closed with this code: 1002, 1003 (a text message), 1008
    /// (too many unsent bytes) or 1009 (a message that is too large).
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
