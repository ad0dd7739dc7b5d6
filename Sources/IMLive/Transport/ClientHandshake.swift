import NIOCore
import NIOHTTP1

/// Sends the request for a WebSocket to a server, and reports why the request failed.
///
/// This handler is removed when the upgrade succeeds. Until then it reports the first failure.
final class ClientHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let url: WebSocketURL
    private let onFailure: (ConnectionEnd) -> Void
    private var isFinished = false

    init(_ url: WebSocketURL, onFailure: @escaping (ConnectionEnd) -> Void) {
        self.url = url
        self.onFailure = onFailure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: url.hostHeader)
        headers.add(name: "Content-Length", value: "0")
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // The upgrade removes this handler. If the connection was closed instead, `channelInactive` has already
        // reported the failure.
        isFinished = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            var answer = "the server answered \(head.status.code) \(head.status.reasonPhrase)"
            if head.status == .notFound { answer += ": nothing exists at '\(url.target)'" }
            fail(.handshake(answer), context: context)
        case .body, .end:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let problem as TLSProblem:
            fail(.tls(problem.text), context: context)
        case is IOError:
            fail(.reset, context: context)
        case is HTTPParserError:
            fail(.handshake("the server does not use HTTP"), context: context)
        default:
            fail(.handshake("\(error)"), context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.handshake("the server closed the connection before it answered"), context: context)
        context.fireChannelInactive()
    }

    private func fail(_ end: ConnectionEnd, context: ChannelHandlerContext) {
        guard !isFinished else { return }
        isFinished = true
        context.close(promise: nil)
        onFailure(end)
    }
}
