import NIOCore
import NIOHTTP1

/// The allowed `Host` and `Origin` headers of a request for a WebSocket. With each request, a browser sends the origin
/// of the page and the host name in the URL. An attacker may have pointed that name to this computer (DNS rebinding).
/// Other clients send no origin.
public struct RequestSources: Hashable, Sendable {
    /// Allowed origins of pages, such as `https://app.example`. Pages of the listener's own address are always allowed.
    public var origins: [String]
    /// Allowed hosts besides the listener's addresses. Each is a name, or a name with a port.
    public var hosts: [String]

    /// Allows these origins and hosts, and the listener's own addresses.
    public init(origins: [String] = [], hosts: [String] = []) {
        self.origins = origins.map { $0.lowercased() }
        self.hosts = hosts.map { $0.lowercased() }
    }

    /// The reason to refuse a request because of its host or origin; nil if both are allowed.
    ///
    /// - Parameters:
    ///   - addresses: the address of the listener, and the one that the connection arrived at.
    func refusal(of head: HTTPRequestHead, at addresses: [String], isSecure: Bool) -> Refusal? {
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let (name, port) = Self.split(hosts[0].lowercased()), !name.isEmpty else {
            return Refusal(status: .badRequest, text: "A request must have exactly one Host (RFC 9112, 3.2).")
        }
        guard isOwn(name, addresses) || self.hosts.contains(name) || self.hosts.contains(hosts[0].lowercased()) else {
            return Refusal(
                status: .forbidden,
                text: "Host \(name) is not an address of this server; --allow-host \(name) allows it.")
        }
        let origins = head.headers["Origin"]
        guard !origins.isEmpty else { return nil }
        let own = "\(isSecure ? "https" : "http")://"
        let isOwnPage = { (origin: String) in
            guard origin.hasPrefix(own), let (page, pagePort) = Self.split(String(origin.dropFirst(own.count))) else {
                return false
            }
            let standard = isSecure ? 443 : 80
            return page == name && pagePort ?? standard == port ?? standard
        }
        let origin = origins[0].lowercased()
        guard origins.count == 1, isOwnPage(origin) || self.origins.contains(origin) else {
            return Refusal(
                status: .forbidden,
                text: "Pages of \(origin) may not connect to this server; --allow-origin \(origin) allows it.")
        }
        return nil
    }

    private func isOwn(_ name: String, _ addresses: [String]) -> Bool {
        if addresses.contains(name) { return true }
        guard name == "localhost" else { return false }
        return addresses.contains { $0 == "::1" || $0 == "0.0.0.0" || $0 == "::" || $0.hasPrefix("127.") }
    }

    /// The parts of `name`, `name:port` or `[::1]:port`; nil for any other text.
    private static func split(_ authority: String) -> (name: String, port: Int?)? {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        guard let end else { return authority.hasPrefix("[") ? nil : (authority, nil) }
        let isBracket = authority[end] == "]"
        let name = isBracket ? authority[authority.index(after: authority.startIndex)..<end] : authority[..<end]
        let rest = isBracket ? authority[authority.index(after: end)...] : authority[end...]
        if rest.isEmpty { return (String(name), nil) }
        guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()) else { return nil }
        return (String(name), Int(port))
    }
}

extension Refusal {
    /// The reason to refuse an invalid WebSocket handshake (RFC 6455, 4.2.2); nil if it is valid.
    init?(handshake head: HTTPRequestHead) {
        let versions = head.headers["Sec-WebSocket-Version"]
        guard versions == ["13"] else {
            self.init(
                status: .upgradeRequired, text: "This server uses version 13 of WebSocket.",
                headers: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
            return
        }
        let keys = head.headers["Sec-WebSocket-Key"]
        // A key has 16 bytes. In base64 that is 24 characters.
        let isKey = keys.count == 1 && keys[0].utf8.count == 24 && keys[0].hasSuffix("==")
        if isKey && head.method == .GET { return nil }
        self.init(
            status: .badRequest, text: "A WebSocket request must be a GET with one Sec-WebSocket-Key of 16 bytes.")
    }
}
