import IMLive
import NIOCore

/// One end of a TCP connection. A test can send any bytes over it.
final class RawPeer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    static let upgradeRequest = Array(
        """
        GET /im HTTP/1.1\r
        Host: 127.0.0.1\r
        Connection: Upgrade\r
        Upgrade: websocket\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        \r\n
        """.utf8)

    let channel: any Channel
    private let report: (Event) -> Void
    private var hasEnded = false

    init(channel: any Channel, report: @escaping (Event) -> Void) {
        self.channel = channel
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        report(.message(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.reset)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.closedHere)
    }

    /// Reports the end of the connection once. `closedHere` means that the other end closed the stream properly.
    private func end(_ end: ConnectionEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        report(.ended(end))
    }

    /// The bytes of a client's frame. The mask is zero, so the payload remains readable.
    static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, masked: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [(fin ? 0x80 : 0) | opcode]
        let maskBit: UInt8 = masked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(maskBit | UInt8(payload.count))
        } else {
            bytes += [maskBit | 126, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
        }
        if masked { bytes += [0, 0, 0, 0] }
        return bytes + payload
    }

    /// The code in the close frame with which the bytes begin; nil for other bytes.
    static func closeCode(in bytes: [UInt8]) -> UInt16? {
        guard bytes.count >= 4, bytes[0] == 0x88 else { return nil }
        return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
}
