/// The parts of a `ws://` or `wss://` URL that a client needs to connect.
struct WebSocketURL: Hashable, Sendable {
    let isSecure: Bool
    /// A name or an address; an IPv6 address without its brackets.
    let host: String
    let port: Int
    /// The path and the query of the request.
    let target: String

    init(_ text: String) throws(ConnectionEnd) {
        let rest: Substring
        if let end = Self.end(of: "wss://", in: text) {
            isSecure = true
            rest = text[end...]
        } else if let end = Self.end(of: "ws://", in: text) {
            isSecure = false
            rest = text[end...]
        } else {
            throw .invalidURL("'\(text)' does not begin with ws:// or wss://")
        }
        // Spaces and control characters would break the request line. The server checks all other characters.
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalidURL("'\(text)' has characters that are invalid in a URL")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw .invalidURL("the URL must not contain credentials")
        }
        let (host, portText) = try Self.split(authority, of: text)
        guard !host.isEmpty else { throw .invalidURL("'\(text)' has no host") }
        self.host = String(host)
        if let portText {
            guard portText.allSatisfy(\.isNumber), let port = UInt16(portText), port > 0 else {
                throw .invalidURL("'\(portText)' is not a port")
            }
            self.port = Int(port)
        } else {
            port = isSecure ? 443 : 80
        }
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// The value of the request's `Host` header.
    var hostHeader: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    private static func end(of scheme: String, in text: String) -> String.Index? {
        text.prefix(scheme.count).lowercased() == scheme ? text.index(text.startIndex, offsetBy: scheme.count) : nil
    }

    private static func split(_ authority: Substring, of text: String) throws(ConnectionEnd) -> (Substring, Substring?)
    {
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { throw .invalidURL("'\(text)' lacks a ']'") }
            let host = authority[authority.index(after: authority.startIndex)..<close]
            let rest = authority[authority.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .invalidURL("'\(text)' has text after ']'") }
            return (host, rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }
}
