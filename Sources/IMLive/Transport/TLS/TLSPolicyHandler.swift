import NIOCore
import NIOSSL
import NIOTLS

/// The handler after NIOSSL's handler in the pipeline. It replaces errors of NIOSSL by texts for people, checks names
/// more strictly, and drops bytes that arrive after this side has closed.
final class TLSPolicyHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let tls: NIOSSLHandler
    /// The name that the server's certificate must have. Nil if no name is checked: on a server, for an address, and if
    /// certificates are not verified.
    private let name: String?
    private let isServer: Bool
    private var isClosing = false

    init(_ tls: NIOSSLHandler, isServer: Bool, name: String? = nil) {
        self.tls = tls
        self.isServer = isServer
        self.name = name
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event, let name, tls.peerCertificate?.hasName(name) != true {
            context.fireErrorCaught(TLSProblem.otherName)
            return close(context: context, mode: .all, promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isClosing { context.fireChannelRead(data) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isClosing = isClosing || mode == .all
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing else { return }
        switch error {
        case NIOSSLError.uncleanShutdown:
            // `channelInactive` follows, and has the same effect with and without `close_notify`.
            break
        case NIOSSLError.handshakeFailed(let reason):
            context.fireErrorCaught(
                TLSProblem(handshake: reason, isServer: isServer, certificate: tls.peerCertificate))
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            context.fireErrorCaught(TLSProblem.otherName)
        case let error as NIOSSLExtraError where error == .serverHostnameImpossibleToMatch:
            context.fireErrorCaught(TLSProblem(text: "'\(name ?? "")' is not a valid name of a certificate"))
        case let error as BoringSSLError:
            if case .sslError(let stack) = error, let first = stack.first {
                context.fireErrorCaught(TLSProblem(text: TLSProblem.reason(first)))
            } else {
                context.fireErrorCaught(error)
            }
        default:
            context.fireErrorCaught(error)
        }
    }
}

extension TLSProblem {
    fileprivate static let otherName = TLSProblem(text: "the certificate is for another name")
}

extension NIOSSLCertificate {
    /// True if one of the certificate's alternative names is this name (RFC 9525, 6.3).
    ///
    /// NIOSSL has already checked the name, but it accepts more: the common name, `*` as a part of a label, and the
    /// address of the connection although a name was requested.
    fileprivate func hasName(_ name: String) -> Bool {
        let name = Self.plain(name)
        let parent = name.drop { $0 != "." }
        return _subjectAlternativeNames().contains { alternative in
            guard alternative.nameType == .dnsName else { return false }
            let pattern = Self.plain(String(decoding: alternative.contents, as: UTF8.self))
            // A wildcard represents one label, but not directly below a top-level domain.
            return pattern == name || (pattern == "*\(parent)" && parent.count { $0 == "." } > 1)
        }
    }

    /// The name in lowercase, without a dot at the end.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS of a server.
    func addTLS(server context: NIOSSLContext) throws {
        let tls = NIOSSLServerHandler(context: context)
        try addHandlers([tls, TLSPolicyHandler(tls, isServer: true)])
    }

    /// Adds TLS of a client.
    ///
    /// - Parameter host: a name or an address. A client does not send an address in the handshake, but the server's
    ///   certificate must have it.
    func addTLS(client context: NIOSSLContext, host: String) throws {
        let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        guard let tls = try? NIOSSLClientHandler(context: context, serverHostname: name) else {
            throw TLSProblem(text: "'\(host)' is not a valid host name")
        }
        let isChecked = context.configuration.certificateVerification == .fullVerification
        try addHandlers([tls, TLSPolicyHandler(tls, isServer: false, name: isChecked ? name : nil)])
    }
}
