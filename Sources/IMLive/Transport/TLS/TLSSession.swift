import COpenSSL
import NIOCore

/// One side of a TLS connection: what arrives goes in, what is to be sent comes out, and nothing of it touches a socket.
/// Confined to the event loop of its connection.
final class TLSSession {
    private let context: TLSContext
    private let pointer: OpaquePointer
    /// What arrived and is not deciphered yet, and what is to be sent; both are the pointer's.
    private let arrived: OpaquePointer
    private let sent: OpaquePointer
    private(set) var isOpen = false
    /// The peer has said that it sends nothing more.
    private(set) var isPeerDone = false
    private var isDone = false

    /// - Parameter host: of a client: whom it wants to talk with, a name or an address.
    /// - Throws: ``TLSProblem``
    init(_ context: TLSContext, host: String? = nil) throws(TLSProblem) {
        ERR_clear_error()
        guard let pointer = SSL_new(context.pointer), let arrived = BIO_new(BIO_s_mem()),
            let sent = BIO_new(BIO_s_mem())
        else { throw TLSProblem(text: TLSProblem.reason().text) }
        self.context = context
        self.pointer = pointer
        self.arrived = arrived
        self.sent = sent
        SSL_set_bio(pointer, arrived, sent)
        if context.isServer { SSL_set_accept_state(pointer) } else { SSL_set_connect_state(pointer) }
        if let host { try expect(host) }
    }

    deinit { SSL_free(pointer) }

    private func expect(_ host: String) throws(TLSProblem) {
        // TLS has no names for addresses; the certificate is checked against the address.
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), host) == 1 { return }
        SSL_set_hostflags(
            pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        guard SSL_set1_host(pointer, host) == 1, copenssl_server_name(pointer, host) == 1 else {
            throw TLSProblem(text: "'\(host)' cannot be asked for")
        }
    }

    /// Takes what arrived from the peer.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            let count = BIO_write(arrived, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
        }
    }

    /// Goes on with the handshake as far as it can.
    ///
    /// - Throws: ``TLSProblem``
    func shakeHands() throws(TLSProblem) {
        guard !isOpen else { return }
        ERR_clear_error()
        let result = SSL_do_handshake(pointer)
        if result == 1 {
            isOpen = true
        } else if SSL_get_error(pointer, result) != SSL_ERROR_WANT_READ {
            throw handshakeProblem()
        }
    }

    /// Deciphers so much of what arrived as fits.
    ///
    /// - Returns: how many bytes; 0 when there are no more for now.
    /// - Throws: ``TLSProblem``
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSProblem) -> Int {
        ERR_clear_error()
        let count = SSL_read(pointer, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 { return Int(count) }
        switch SSL_get_error(pointer, count) {
        case SSL_ERROR_WANT_READ: return 0
        case SSL_ERROR_ZERO_RETURN:
            isPeerDone = true
            return 0
        default: throw TLSProblem(text: TLSProblem.reason().text)
        }
    }

    /// Enciphers bytes; the session is open.
    ///
    /// - Throws: ``TLSProblem``
    func write(_ bytes: UnsafeRawBufferPointer) throws(TLSProblem) {
        var rest = bytes
        while !rest.isEmpty {
            ERR_clear_error()
            let count = SSL_write(pointer, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { throw TLSProblem(text: TLSProblem.reason().text) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
        }
    }

    /// Says once that nothing more comes from here.
    func finish() {
        guard isOpen, !isDone else { return }
        isDone = true
        ERR_clear_error()
        SSL_shutdown(pointer)
    }

    /// What is to be sent now; nil for nothing.
    func takeSent(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = BIO_ctrl_pending(sent)
        guard count > 0 else { return nil }
        var buffer = allocator.buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(0, Int(BIO_read(sent, bytes.baseAddress, Int32(clamping: count))))
        }
        return buffer
    }

    // MARK: Words

    private var peer: String { context.isServer ? "the client" : "the server" }

    /// Why there is no TLS, for a stream that ended in the handshake; nil after it.
    var unfinished: TLSProblem? {
        isOpen ? nil : TLSProblem(text: "\(peer) closed the connection during the handshake")
    }

    private func handshakeProblem() -> TLSProblem {
        let verdict = SSL_get_verify_result(pointer)
        let reason = TLSProblem.reason()
        switch (reason.code, Int32(clamping: verdict)) {
        case (SSL_R_CERTIFICATE_VERIFY_FAILED, X509_V_ERR_HOSTNAME_MISMATCH),
            (SSL_R_CERTIFICATE_VERIFY_FAILED, X509_V_ERR_IP_ADDRESS_MISMATCH):
            return TLSProblem(text: "the certificate is for another name")
        case (SSL_R_CERTIFICATE_VERIFY_FAILED, X509_V_ERR_CERT_HAS_EXPIRED):
            return TLSProblem(text: "the certificate has expired")
        case (SSL_R_CERTIFICATE_VERIFY_FAILED, X509_V_ERR_CERT_NOT_YET_VALID):
            return TLSProblem(text: "the certificate is not valid yet")
        case (SSL_R_CERTIFICATE_VERIFY_FAILED, _): return TLSProblem(text: "the certificate is not trusted")
        case (SSL_R_WRONG_VERSION_NUMBER, _) where !context.isServer:
            return TLSProblem(text: "the server does not speak TLS")
        case (SSL_R_TLSV1_ALERT_UNKNOWN_CA, _): return TLSProblem(text: "the peer does not trust the certificate")
        case (0, _):
            // OpenSSL has no reason where the bytes stop, or are none of TLS.
            return TLSProblem(text: "\(peer) closed the connection during the handshake, or does not speak TLS")
        default: return TLSProblem(text: "the handshake failed (\(reason.text))")
        }
    }
}
