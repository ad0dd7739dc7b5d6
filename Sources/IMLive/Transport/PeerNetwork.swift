import NIOCore

extension SocketAddress {
    /// The key by which connections of a peer are counted: an IPv4 address, or the 64-bit network of an IPv6 address,
    /// because one customer of a provider has all addresses of such a network.
    var peerNetwork: String {
        guard case .v6(let address) = self else { return ipAddress ?? "?" }
        let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        guard !bytes.starts(with: mapped) else { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }
}
