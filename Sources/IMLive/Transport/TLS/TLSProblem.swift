import Foundation
import NIOSSL

/// Why TLS cannot be set up, or has failed: a text for people.
struct TLSProblem: Error, Equatable {
    let text: String
}

extension TLSProblem {
    /// Why a file cannot be read; nil if it can. NIOSSL itself reports no reason.
    static func ofFile(_ path: String) -> String? {
        let file = open(path, O_RDONLY)
        defer { if file >= 0 { close(file) } }
        var byte: UInt8 = 0
        guard file < 0 || read(file, &byte, 1) < 0 else { return nil }
        return errno == ENOENT ? "no such file" : String(cString: strerror(errno))
    }

    /// - Parameters:
    ///   - error: the error of the handshake.
    ///   - certificate: the server's certificate; nil on a server, and if none was received.
    init(handshake error: BoringSSLError, isServer: Bool, certificate: NIOSSLCertificate?) {
        let peer = isServer ? "the client" : "the server"
        guard case .sslError(let stack) = error, let first = stack.first else {
            text = "\(peer) closed the connection during the handshake, or does not use TLS"
            return
        }
        guard first != .eofDuringHandshake else {
            text = "\(peer) closed the connection during the handshake"
            return
        }
        switch Self.reason(first) {
        case "certificate verify failed": text = Self.untrusted(certificate)
        case "wrong version number" where !isServer: text = "the server does not use TLS"
        case let reason: text = "the handshake failed (\(reason))"
        }
    }

    /// The reason in a description of BoringSSL, which has the form `error:CODE:LIBRARY:FUNCTION:REASON at FILE:LINE`.
    static func reason(_ error: BoringSSLInternalError) -> String {
        let parts = error.description.split(separator: ":")
        guard let start = parts.firstIndex(where: { $0.hasSuffix(" error") }), start + 4 < parts.count else {
            return error.description
        }
        let words = parts[start + 4].split(separator: " ").first ?? ""
        return words.lowercased().replacing("_", with: " ")
    }

    /// Why a certificate is not trusted. BoringSSL reports only that its check failed, so the dates of the certificate
    /// are compared with the current time.
    private static func untrusted(_ certificate: NIOSSLCertificate?) -> String {
        let now = time(nil)
        guard let certificate else { return "the certificate is not trusted" }
        if certificate.notValidAfter <= now { return "the certificate has expired" }
        return certificate.notValidBefore > now
            ? "the certificate is not valid yet" : "the certificate is not trusted"
    }
}
