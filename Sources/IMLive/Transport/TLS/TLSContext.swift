import COpenSSL

/// The certificate chain and the private key of a server, as PEM files.
public struct TLSFiles: Hashable, Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Which server certificates a client trusts.
public enum TLSTrust: Hashable, Sendable {
    /// Those that the system trusts.
    case system
    /// Those that a PEM file vouches for, and no others.
    case file(String)
    /// All, without any check: for self-signed servers on the developer's own machine.
    case none
}

/// What the TLS sessions of a listener, or of a dial, have in common.
///
/// `@unchecked Sendable`: it is complete when it is made, and OpenSSL lets threads share it from then on.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool

    /// Of a server.
    ///
    /// - Throws: ``TLSProblem`` that names the file.
    init(_ files: TLSFiles) throws(TLSProblem) {
        pointer = try Self.make(TLS_server_method())
        isServer = true
        guard SSL_CTX_use_certificate_chain_file(pointer, files.certificate) == 1 else {
            throw TLSProblem(
                text: "cannot read a certificate from '\(files.certificate)': \(TLSProblem.ofFile("certificate"))")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, files.key, SSL_FILETYPE_PEM) == 1 else {
            let reason = TLSProblem.reason()
            throw TLSProblem(
                text: reason.library == ERR_LIB_X509
                    ? "'\(files.certificate)' and '\(files.key)' do not go together: \(reason.text)"
                    : "cannot read a private key from '\(files.key)': \(TLSProblem.ofFile("private key"))")
        }
        // A ticket that nobody reads before the end would turn an orderly close into a reset.
        SSL_CTX_set_num_tickets(pointer, 0)
    }

    /// Of a client.
    ///
    /// - Throws: ``TLSProblem`` that names the file.
    init(_ trust: TLSTrust) throws(TLSProblem) {
        pointer = try Self.make(TLS_client_method())
        isServer = false
        switch trust {
        case .none: SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        case .system:
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            SSL_CTX_set_default_verify_paths(pointer)
        case .file(let path):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            guard SSL_CTX_load_verify_file(pointer, path) == 1 else {
                throw TLSProblem(
                    text: "cannot read trusted certificates from '\(path)': \(TLSProblem.ofFile("certificate"))")
            }
            // The file may vouch for a server without going up to whoever signed for it.
            X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        }
    }

    deinit { SSL_CTX_free(pointer) }

    private static func make(_ method: OpaquePointer?) throws(TLSProblem) -> OpaquePointer {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw TLSProblem(text: TLSProblem.reason().text) }
        copenssl_modern(pointer)
        copenssl_ask_nobody(pointer)
        return pointer
    }
}
