import NIOCore
import NIOWebSocket

/// Converts WebSocket frames to whole binary messages and enforces the rules of RFC 6455.
///
/// A violation of the protocol is answered with a close frame: 1002, 1003 for a text message, or 1009 for a message
/// that is too large. After the close frame, the peer's messages are ignored. The socket is closed after
/// ``closeTimeout`` at the latest. The next handler receives any number of messages, and then one end.
final class WebSocketMessages: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = InboundItem
    typealias OutboundIn = OutboundItem
    typealias OutboundOut = WebSocketFrame

    enum Role {
        case client
        case server
    }

    private enum Phase {
        case open
        /// A close frame was sent. Only the peer's close frame or the end of its stream is expected.
        case closing
        case closed
    }

    /// The time limit for a peer to complete a close, in real time.
    static let closeTimeout = TimeAmount.seconds(2)
    /// The maximum number of bytes that wait in a client for a server which does not read. A listener has its own limit
    /// for its peers.
    static let unsentBytesMax = 64 << 20
    /// The maximum length in bytes of a close frame's reason, beside the code.
    static let reasonBytesMax = 123

    private let role: Role
    private let messageBytesMax: Int
    /// True if packets get through. If not, control frames are lost in this handler. Messages are lost in
    /// ``FaultHandler``.
    private let isReachable: () -> Bool
    /// The number of bytes that wait for all peers of the listener.
    private let unsent: UnsentBytes
    private let tagged: TaggedEnd?
    private var phase = Phase.open
    private var fragments: ByteBuffer?
    private var unsentBytes = 0
    /// The end of the connection that will be reported, at the latest when the socket is closed; nil after the report.
    private var pendingEnd: ConnectionEnd? = .reset
    private var hasMissedClose = false
    private var closeTimer: Scheduled<Void>?

    init(
        role: Role, messageBytesMax: Int, unsent: UnsentBytes? = nil, tagged: TaggedEnd? = nil,
        isReachable: @escaping () -> Bool = { true }
    ) {
        self.tagged = tagged
        self.role = role
        self.messageBytesMax = messageBytesMax
        self.isReachable = isReachable
        self.unsent =
            unsent
            ?? UnsentBytes(
                ListenLimits(unsentBytesMax: Self.unsentBytesMax, unsentBytesTotalMax: Self.unsentBytesMax))
    }

    // MARK: From the peer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch phase {
        case .open:
            receive(frame, context: context)
        case .closing:
            if frame.opcode == .connectionClose, isReachable() { context.close(promise: nil) }
        case .closed:
            break
        }
    }

    private func receive(_ frame: WebSocketFrame, context: ChannelHandlerContext) {
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return violate(.protocolError, "reserved bits are set", context: context)
        }
        guard (frame.maskKey != nil) == (role == .server) else {
            let text = role == .server ? "a client's frame is not masked" : "a server's frame is masked"
            return violate(.protocolError, text, context: context)
        }
        switch frame.opcode {
        case .binary:
            guard fragments == nil else {
                return violate(.protocolError, "a message begins inside another", context: context)
            }
            append(frame, to: ByteBuffer(), context: context)
        case .continuation:
            guard let fragments else {
                return violate(.protocolError, "a continuation without a message", context: context)
            }
            append(frame, to: fragments, context: context)
        case .text:
            violate(.unacceptableData, "text messages are not supported", context: context)
        case .ping:
            answer(frame.unmaskedData, context: context)
        case .pong:
            break
        case .connectionClose:
            receiveClose(frame.unmaskedData, context: context)
        default:
            violate(.protocolError, "reserved opcode", context: context)
        }
    }

    private func append(_ frame: WebSocketFrame, to earlier: ByteBuffer, context: ChannelHandlerContext) {
        var data = frame.unmaskedData
        guard earlier.readableBytes + data.readableBytes <= messageBytesMax else {
            return violate(.messageTooLarge, "a message of more than \(messageBytesMax) bytes", context: context)
        }
        var message = earlier
        fragments = nil
        message.writeBuffer(&data)
        if frame.fin {
            context.fireChannelRead(
                wrapInboundOut(.message(Array(message.readableBytesView), tag: tagged?.takeReceived() ?? 0)))
        } else {
            fragments = message
        }
    }

    private func answer(_ payload: ByteBuffer, context: ChannelHandlerContext) {
        // A peer that does not read gets no pongs, because they would accumulate.
        guard isReachable(), context.channel.isWritable else { return }
        write(.pong, payload, context: context, promise: nil)
    }

    private func receiveClose(_ payload: ByteBuffer, context: ChannelHandlerContext) {
        guard isReachable() else {
            hasMissedClose = true
            return
        }
        var payload = payload
        var code: UInt16 = 1005
        var reason = ""
        if payload.readableBytes > 0 {
            guard let sentCode = payload.readInteger(as: UInt16.self), Self.mayBeSent(sentCode),
                let text = String(validating: payload.readableBytesView, as: UTF8.self)
            else { return violate(.protocolError, "a malformed close", context: context) }
            code = sentCode
            reason = text
        }
        // A server closes the connection when its answer was sent. A client first gives the server some time to do
        // this.
        let answered = context.eventLoop.makePromise(of: Void.self)
        if role == .server {
            answered.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        }
        pendingEnd = .closedByPeer(code: code, reason: reason)
        sendClose(code: code == 1005 ? 1000 : code, reason: "", context: context, promise: answered)
        report(context: context)
    }

    private func violate(_ code: WebSocketErrorCode, _ text: String, context: ChannelHandlerContext) {
        fragments = nil
        let number = UInt16(webSocketErrorCode: code)
        pendingEnd = .violation(code: number, text)
        sendClose(code: number, reason: text, context: context)
        report(context: context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? NIOWebSocketError, phase) {
        case (.invalidFrameLength, .open):
            violate(.messageTooLarge, "a frame of more than \(messageBytesMax) bytes", context: context)
        case (.fragmentedControlFrame, .open), (.multiByteControlFrameLength, .open):
            violate(.protocolError, "a malformed control frame", context: context)
        case (.some, _):
            // The decoder reports an error for each packet that follows. The close is already in progress.
            break
        case (nil, _):
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        phase = .closed
        closeTimer?.cancel()
        fragments = nil
        if pendingEnd != nil, hasMissedClose || !isReachable() {
            pendingEnd = nil
            context.fireChannelRead(wrapInboundOut(.vanished))
        } else {
            report(context: context)
        }
        context.fireChannelInactive()
    }

    /// Reports the end of the connection, once. The socket may already be closed, or stay open for some time.
    private func report(context: ChannelHandlerContext) {
        guard let end = pendingEnd else { return }
        pendingEnd = nil
        context.fireChannelRead(wrapInboundOut(.ended(end)))
    }

    // MARK: From the link

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = phase else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .message(let bytes, let tag):
            sendMessage(bytes, tag: tag, context: context, promise: promise)
        case .close(let code, let reason):
            pendingEnd = .closedHere
            sendClose(code: code, reason: reason, context: context)
            promise?.succeed()
        }
    }

    private func sendMessage(
        _ bytes: ByteBuffer, tag: UInt64, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        let count = bytes.readableBytes
        guard unsent.allows(count, beside: unsentBytes) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            pendingEnd = .violation(code: 1008, "the peer does not read: \(unsentBytes) bytes are unsent")
            report(context: context)
            context.close(promise: nil)
            return
        }
        unsentBytes += count
        unsent.add(count)
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.unsentBytes -= count
            self.unsent.remove(count)
        }
        tagged?.recordSent(tag)
        write(.binary, bytes, context: context, promise: written)
    }

    private func sendClose(
        code: UInt16, reason: String, context: ChannelHandlerContext, promise: EventLoopPromise<Void>? = nil
    ) {
        phase = .closing
        var payload = ByteBuffer()
        payload.writeInteger(Self.mayBeSent(code) ? code : 1000)
        payload.writeString(Self.truncated(reason))
        write(.connectionClose, payload, context: context, promise: promise)
        closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) {
            context.close(promise: nil)
        }
    }

    private func write(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, context: ChannelHandlerContext,
        promise: EventLoopPromise<Void>?
    ) {
        let mask: WebSocketMaskingKey? = role == .client ? .random() : nil
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: mask, data: payload)
        context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    }

    /// True if a close frame may contain the code (RFC 6455, 7.4).
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The longest prefix of a reason that fits into a control frame.
    static func truncated(_ reason: String) -> String {
        var text = reason
        while text.utf8.count > reasonBytesMax { text.removeLast() }
        return text
    }
}
