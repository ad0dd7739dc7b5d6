import Foundation
import NIOCore
import NIOSSL

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
    /// The certificates that the system trusts.
    case system
    /// The certificates in a PEM file, and certificates that they signed. No others are trusted.
    case file(String)
    /// All certificates, without any check: for self-signed servers on the developer's own machine.
    case none
}

extension NIOSSLContext {
    /// The TLS context of a server.
    ///
    /// - Throws: ``TLSProblem`` with the name of the file that cannot be used.
    static func server(_ files: TLSFiles) throws(TLSProblem) -> NIOSSLContext {
        let chain = try certificates(in: files.certificate, what: "a certificate")
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(try privateKey(in: files.key)))
        configuration.setCommonValues()
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            throw TLSProblem(text: "'\(files.certificate)' and '\(files.key)' do not match")
        } catch {
            throw TLSProblem(text: "the certificate in '\(files.certificate)' cannot be used for TLS")
        }
    }

    /// The TLS context of a client.
    ///
    /// - Throws: ``TLSProblem`` with the name of the file that cannot be used.
    static func client(trusting trust: TLSTrust) throws(TLSProblem) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.setCommonValues()
        // The list of BoringSSL, without SHA-1 and with Ed25519.
        configuration.verifySignatureAlgorithms = [
            .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
            .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512, .ed25519,
        ]
        switch trust {
        case .system: break
        case .file(let path):
            let trusted = try certificates(in: path, what: "trusted certificates")
            configuration.trustRoots = .certificates(trusted.map { $0.asTrustAnchor })
        case .none: configuration.certificateVerification = .none
        }
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw TLSProblem(text: "the certificates that the system trusts cannot be read; use --tls-ca")
        }
    }

    private static func certificates(in path: String, what: String) throws(TLSProblem) -> [NIOSSLCertificate] {
        do { return try NIOSSLCertificate.fromPEMFile(path) } catch {
            let reason = TLSProblem.ofFile(path) ?? "no certificate in PEM format"
            throw TLSProblem(text: "cannot read \(what) from '\(path)': \(reason)")
        }
    }

    private static func privateKey(in path: String) throws(TLSProblem) -> NIOSSLPrivateKey {
        var isEncrypted = false
        let key = try? NIOSSLPrivateKey(file: path, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
            isEncrypted = true
        }
        if let key, !isEncrypted { return key }
        let reason = TLSProblem.ofFile(path) ?? "no private key in PEM format, or a kind that TLS does not support"
        throw TLSProblem(
            text:
                "cannot read a private key from '\(path)': \(isEncrypted ? "it is encrypted with a password" : reason)")
    }
}

extension TLSConfiguration {
    fileprivate mutating func setCommonValues() {
        minimumTLSVersion = .tlsv12
        // The time that this side waits for the peer's `close_notify` after its own. If it closed at once while bytes
        // are unread, the connection would be reset, and the last bytes that this side sent might be lost.
        shutdownTimeout = .seconds(2)
    }
}

extension NIOSSLCertificate {
    /// The certificate with a mark that makes it a trust anchor, even if it is not a root certificate (OpenSSL's
    /// "TRUSTED CERTIFICATE"). Without the mark, BoringSSL also requires the root certificate.
    fileprivate var asTrustAnchor: NIOSSLCertificate {
        // The DER encoding of a list with one purpose: serverAuth, 1.3.6.1.5.5.7.3.1.
        let purposes: [UInt8] = [0x30, 12, 0x30, 10, 0x06, 8, 0x2B, 6, 1, 5, 5, 7, 3, 1]
        guard let bytes = try? toDERBytes() else { return self }
        let text = Data(bytes + purposes).base64EncodedString(options: .lineLength64Characters)
        let pem = "-----BEGIN TRUSTED CERTIFICATE-----\n\(text)\n-----END TRUSTED CERTIFICATE-----\n"
        return (try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))?.first ?? self
    }
}
