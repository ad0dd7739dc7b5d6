import Foundation
import IMProtocol
import IMShell
import TestSupport

/// A client that follows no protocol rules: a socket, over which a test sends any bytes.
final class RawClient {
    /// An input from the server.
    enum Answer: Equatable {
        case frame(Frame)
        /// A close frame of the WebSocket.
        case close(code: UInt16)
        /// The end of the TCP stream.
        case end
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Connects to a server and, by default, requests a WebSocket.
    ///
    /// - Parameter url: `ws://address:port`, and a path.
    init(_ url: String, upgrades: Bool = true) throws {
        guard let parts = URLComponents(string: url), let host = parts.host, let port = parts.port else {
            throw Failure(description: "'\(url)' is no address")
        }
        descriptor = socket(AF_INET, SystemDifferences.streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "no connection: \(String(cString: strerror(errno)))") }
        guard upgrades else { return }
        let answer = try request(parts.path.isEmpty ? "/" : parts.path)
        guard answer.hasPrefix("HTTP/1.1 101") else { throw Failure(description: "no WebSocket: \(answer)") }
    }

    deinit { close(descriptor) }

    /// Requests a WebSocket at a path.
    ///
    /// - Returns: the head of the HTTP response.
    func request(_ path: String) throws -> String {
        try send(
            Array(
                """
                GET \(path) HTTP/1.1\r
                Host: localhost\r
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r\n
                """.utf8))
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let index = received.indices.first(where: { received[$0...].starts(with: end) }) {
                let head = String(decoding: received[..<index], as: UTF8.self)
                received.removeSubrange(..<(index + end.count))
                return head
            }
            guard try readMore() else { throw Failure(description: "no answer to the request") }
        }
    }

    /// All bytes up to the end of the stream, as text.
    func rest() throws -> String {
        while try readMore() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    func send(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, TestSystem.sendFlags)
            }
            // A server that has closed the connection need not read the remaining bytes.
            guard count > 0 else { return }
            start += count
        }
    }

    /// Sends one WebSocket frame, masked with zeros.
    func sendMessage(_ payload: [UInt8], opcode: UInt8 = 0x2, isMasked: Bool = true) throws {
        var bytes: [UInt8] = [0x80 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        try send(bytes + (isMasked ? [0, 0, 0, 0] : []) + payload)
    }

    func send(_ body: FrameBody) throws { try sendMessage(Frame(request: 1, body).bytes()) }

    /// The next input. After the end of the stream, each call returns `end`.
    func next() throws -> Answer {
        while true {
            if let (opcode, payload) = takeFrame() {
                switch opcode {
                case 0x2: return .frame(try Frame(bytes: payload))
                case 0x8:
                    return .close(code: payload.count < 2 ? 1005 : UInt16(payload[0]) << 8 | UInt16(payload[1]))
                default: continue
                }
            }
            guard try readMore() else { return .end }
        }
    }

    private func takeFrame() -> (opcode: UInt8, payload: [UInt8])? {
        guard received.count >= 2 else { return nil }
        var length = Int(received[1] & 0x7F)
        var head = 2
        if length >= 126 {
            head = length == 126 ? 4 : 10
            guard received.count >= head else { return nil }
            length = received[2..<head].reduce(0) { $0 << 8 | Int($1) }
        }
        guard received.count >= head + length else { return nil }
        let frame = (received[0] & 0x0F, Array(received[head..<(head + length)]))
        received.removeSubrange(..<(head + length))
        return frame
    }

    /// - Returns: false at the end of the stream.
    private func readMore() throws -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, Int32(watchdogSeconds * 1000)) > 0 else { throw Missing("an answer of the server") }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }
}

extension RawClient {
    static func login(
        _ user: String, device: String = "raw", application: String = "nim", mode: LoginMode = .manual
    ) -> LoginRequest {
        LoginRequest(
            application: application, user: user, device: Device(id: device, platform: .linux), mode: mode, epoch: 0,
            credential: .secret(""))
    }

    /// The status in the answer to the last login request.
    func loginStatus() throws -> Status {
        let answer = try next()
        guard case .frame(let frame) = answer, case .loginAck(let reply) = frame.body else {
            throw Failure(description: "no answer to the login but \(answer)")
        }
        return reply.status
    }
}
