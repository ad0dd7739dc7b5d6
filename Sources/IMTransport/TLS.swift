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
    /// Those that the system trusts.
    case system
    /// Those that a PEM file vouches for, and no others.
    case file(String)
    /// All, without any check: for self-signed servers on the developer's own machine.
    case none
}

/// A reason why TLS cannot be set up, in words for people.
struct TLSProblem: Error {
    let text: String
}

extension TLSFiles {
    func makeContext() throws(TLSProblem) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate)
        } catch {
            throw TLSProblem(text: "cannot read a certificate from '\(certificate)': \(words(for: error))")
        }
        guard !chain.isEmpty else {
            throw TLSProblem(text: "'\(certificate)' holds no certificate")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            throw TLSProblem(text: "cannot read a private key from '\(key)': \(words(for: error))")
        }
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSProblem(text: "'\(certificate)' and '\(key)' do not go together: \(words(for: error))")
        }
    }
}

extension TLSTrust {
    func makeContext() throws(TLSProblem) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        switch self {
        case .system:
            break
        case .file(let path):
            do {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw TLSProblem(text: "cannot read trusted certificates from '\(path)': \(words(for: error))")
            }
        case .none:
            configuration.certificateVerification = .none
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSProblem(text: words(for: error))
        }
    }
}

/// What an error of TLS or of its files means.
func words(for error: any Error) -> String {
    switch error {
    case let error as IOError:
        return "\(error.description)"
    case let error as NIOSSLExtraError:
        return error == .failedToValidateHostname
            ? "the certificate is for another name (\(error.description))" : error.description
    case NIOSSLError.noSuchFilesystemObject:
        return "no such file"
    case NIOSSLError.failedToLoadCertificate:
        return "no certificate in PEM format"
    case NIOSSLError.failedToLoadPrivateKey:
        return "no private key in PEM format"
    case NIOSSLError.unableToValidateCertificate:
        return "the certificate does not match the address"
    case NIOSSLError.handshakeFailed(let reason):
        let text = "\(reason)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "the certificate is not trusted" }
        if text.contains("WRONG_VERSION_NUMBER") { return "the server does not speak TLS" }
        if text.contains("UNKNOWN_CA") { return "the peer does not trust the certificate" }
        return "the handshake failed (\(text))"
    default:
        return "\(error)"
    }
}
