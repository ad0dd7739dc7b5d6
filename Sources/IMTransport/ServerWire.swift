import NIOCore
import NIOHTTP1
import NIOWebSocket

/// A listener's side of the wire: first the request for a WebSocket, then frames.
///
/// One handler does both, and holds nothing for a connection on which nothing is on the way: of these there are many.
/// Towards the peer: what is no request is answered and the connection ended; a frame that cannot be is an error for
/// those above, after which nothing more is read.
final class ServerWire: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// The request is not whole yet.
        case request
        /// It is, and is looked at.
        case asked
        case frames
        /// Nothing is heard any more.
        case over
    }

    /// Frames up to this size are laid out in one piece; of larger ones the payload, which others may send too, is not
    /// copied.
    private static let copiedBytesMax = 1024

    private let frameBytesMax: Int
    /// Gets the request once it is there; it is answered by ``accept(_:)`` or ``refuse(_:_:_:)``, then or later.
    private var onRequest: ((UpgradeRequest) -> Void)?
    private var phase = Phase.request
    /// What is not whole yet.
    private var pending: ByteBuffer?
    private var context: ChannelHandlerContext?

    init(frameBytesMax: Int, onRequest: @escaping (UpgradeRequest) -> Void) {
        self.frameBytesMax = frameBytesMax
        self.onRequest = onRequest
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        phase = .over
        pending = nil
        onRequest = nil
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        switch phase {
        case .over: return
        case .frames where pending == nil:
            takeFrames(&buffer, context: context)
            // A copy of what is left: the whole buffer is many times as large.
            if phase == .frames, buffer.readableBytes > 0 { pending = ByteBuffer(bytes: buffer.readableBytesView) }
        case .frames, .request, .asked:
            let seen = pending?.readableBytes ?? 0
            pending.setOrWriteBuffer(&buffer)
            readOn(context: context, seen: seen)
        }
    }

    /// Goes on with what is pending.
    private func readOn(context: ChannelHandlerContext, seen: Int = 0) {
        guard var buffer = pending else { return }
        switch phase {
        case .over: break
        case .request: takeRequest(&buffer, seen: seen, context: context)
        case .asked:
            // So much may be sent before the answer is there; no client of good faith sends anything.
            if buffer.readableBytes > frameBytesMax + UpgradeRequest.bytesMax { end(context: context) }
        case .frames:
            pending = nil
            takeFrames(&buffer, context: context)
            guard phase == .frames, buffer.readableBytes > 0 else { return }
            buffer.discardReadBytes()
            pending = buffer
        }
    }

    private func end(context: ChannelHandlerContext) {
        phase = .over
        pending = nil
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .request, .asked: end(context: context)
        case .frames, .over: context.fireErrorCaught(error)
        }
    }

    // MARK: The request

    private func takeRequest(_ buffer: inout ByteBuffer, seen: Int, context: ChannelHandlerContext) {
        let view = buffer.readableBytesView
        guard let end = Self.endOfHead(in: view, from: max(0, seen - 3)) else {
            if view.count > UpgradeRequest.bytesMax {
                refuse(.requestHeaderFieldsTooLarge, "The request is too long.\n")
            } else if !UpgradeRequest.canBegin(view) {
                // A client that begins with TLS waits for an answer to what is no request and never becomes one.
                refuse(.badRequest, "This is no request.\n")
            }
            return
        }
        guard let request = UpgradeRequest(view.prefix(end)) else {
            return refuse(.badRequest, "This is no request.\n")
        }
        buffer.moveReaderIndex(forwardBy: end + 4)
        pending = buffer.readableBytes > 0 ? buffer : nil
        phase = .asked
        let onRequest = onRequest
        self.onRequest = nil
        onRequest?(request)
    }

    /// How many bytes stand before the empty line.
    private static func endOfHead(in view: ByteBufferView, from start: Int) -> Int? {
        view.withUnsafeBytes { bytes in
            guard bytes.count >= 4, start <= bytes.count - 4 else { return nil }
            return (start...(bytes.count - 4)).first {
                bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A && bytes[$0 + 2] == 0x0D && bytes[$0 + 3] == 0x0A
            }
        }
    }

    /// Tells the client that it has its WebSocket.
    func accept(_ key: String) {
        guard phase == .asked, let context else { return }
        phase = .frames
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
            + "Sec-WebSocket-Accept: \(UpgradeRequest.proof(of: key))\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    }

    /// Takes in what came behind the request; to be called when those above are there.
    func begin() {
        if let context { readOn(context: context) }
    }

    /// Tells the client why it gets none, and ends the connection.
    func refuse(_ status: HTTPResponseStatus, _ text: String, _ headers: String = "") {
        guard phase != .over, let context else { return }
        phase = .over
        pending = nil
        let answer =
            "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(headers)Connection: close\r\n"
            + "Content-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        let answered = context.eventLoop.makePromise(of: Void.self)
        answered.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: answered)
    }

    // MARK: Frames

    private func takeFrames(_ buffer: inout ByteBuffer, context: ChannelHandlerContext) {
        while phase == .frames {
            do throws(NIOWebSocketError) {
                guard let head = try FrameHead(buffer.readableBytesView, bytesMax: frameBytesMax),
                    buffer.readableBytes >= head.byteCount + head.payloadBytes
                else { return }
                buffer.moveReaderIndex(forwardBy: head.byteCount)
                guard let payload = buffer.readSlice(length: head.payloadBytes) else { return }
                context.fireChannelRead(wrapInboundOut(head.frame(with: payload)))
            } catch {
                phase = .over
                context.fireErrorCaught(error)
            }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data)
        let payload = frame.data
        let isCopied = payload.readableBytes <= Self.copiedBytesMax
        var buffer = context.channel.allocator.buffer(capacity: 10 + (isCopied ? payload.readableBytes : 0))
        buffer.writeInteger((frame.fin ? 0x80 : 0) | UInt8(webSocketOpcode: frame.opcode))
        switch payload.readableBytes {
        case ...125: buffer.writeInteger(UInt8(payload.readableBytes))
        case ...0xFFFF: buffer.writeMultipleIntegers(UInt8(126), UInt16(payload.readableBytes))
        default: buffer.writeMultipleIntegers(UInt8(127), UInt64(payload.readableBytes))
        }
        if isCopied {
            buffer.writeImmutableBuffer(payload)
            context.write(wrapOutboundOut(buffer), promise: promise)
        } else {
            context.write(wrapOutboundOut(buffer), promise: nil)
            context.write(wrapOutboundOut(payload), promise: promise)
        }
    }
}

/// What stands before the payload of a frame (RFC 6455, 5.2).
private struct FrameHead {
    var byteCount: Int
    var payloadBytes: Int
    private var first: UInt8
    private var mask: WebSocketMaskingKey?

    /// - Returns: nil while it is not whole.
    /// - Throws: for a frame that no peer may send, as soon as it is known.
    init?(_ bytes: ByteBufferView, bytesMax: Int) throws(NIOWebSocketError) {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.startIndex
        first = bytes[start]
        let short = Int(bytes[start + 1] & 0x7F)
        let isControl = first & 0x08 != 0
        if isControl, first & 0x80 == 0 { throw .fragmentedControlFrame }
        if isControl, short > 125 { throw .multiByteControlFrameLength }
        let lengthBytes = short == 127 ? 8 : short == 126 ? 2 : 0
        guard bytes.count >= 2 + lengthBytes else { return nil }
        let length =
            lengthBytes == 0
            ? UInt64(short) : bytes[(start + 2)..<(start + 2 + lengthBytes)].reduce(0) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(bytesMax) else { throw .invalidFrameLength }
        payloadBytes = Int(length)
        let isMasked = bytes[start + 1] & 0x80 != 0
        byteCount = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard bytes.count >= byteCount else { return nil }
        if isMasked { mask = WebSocketMaskingKey(bytes[(start + byteCount - 4)..<(start + byteCount)]) }
    }

    func frame(with payload: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(
            fin: first & 0x80 != 0, rsv1: first & 0x40 != 0, rsv2: first & 0x20 != 0, rsv3: first & 0x10 != 0,
            opcode: WebSocketOpcode(encodedWebSocketOpcode: first & 0x0F) ?? .continuation, maskKey: mask,
            data: payload)
    }
}
