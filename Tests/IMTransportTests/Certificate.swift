import Foundation
import IMLive
import Testing

/// A certificate and its key, which openssl creates for one test.
final class Certificate {
    let folder: URL
    let files: TLSFiles

    /// - Parameters:
    ///   - names: the alternative names, in openssl's syntax; may be empty.
    ///   - days: the start and the end of the validity, in days from now.
    ///   - subject: the common name.
    ///   - issuer: the signer; nil for a self-signed certificate.
    ///   - isAuthority: true if the certificate may sign other certificates.
    init(
        names: String, days: ClosedRange<Int> = 0...2, subject: String = "imrepl.test", issuer: Certificate? = nil,
        isAuthority: Bool = false
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "imtransport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        func path(_ name: String) -> String { folder.appending(path: name).path() }
        files = TLSFiles(certificate: path("cert.pem"), key: path("key.pem"))
        let configuration = """
            [ca]
            default_ca = here
            [here]
            database = \(path("index.txt"))
            new_certs_dir = \(folder.path())
            rand_serial = yes
            default_md = sha256
            copy_extensions = copy
            policy = any
            [any]
            commonName = supplied
            """
        try configuration.write(toFile: path("ca.cnf"), atomically: false, encoding: .utf8)
        try "".write(toFile: path("index.txt"), atomically: false, encoding: .utf8)
        let extensions =
            (names.isEmpty ? [] : ["subjectAltName=\(names)"])
            + (isAuthority ? ["basicConstraints=critical,CA:TRUE"] : [])
        try Self.openssl(
            [
                "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                files.key, "-out", path("request.pem"), "-subj", "/CN=\(subject)",
            ] + extensions.flatMap { ["-addext", $0] })
        let signer = issuer.map { ["-cert", $0.files.certificate, "-keyfile", $0.files.key] }
        try Self.openssl(
            [
                "ca", "-batch", "-notext", "-config", path("ca.cnf"), "-in", path("request.pem"), "-out",
                files.certificate, "-startdate", Self.date(days.lowerBound), "-enddate", Self.date(days.upperBound),
            ] + (signer ?? ["-selfsign", "-keyfile", files.key]))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Appends another certificate to the file. A server then sends both.
    func append(_ other: Certificate) throws {
        let texts = try [self, other].map { try String(contentsOfFile: $0.files.certificate, encoding: .utf8) }
        try texts.joined().write(toFile: files.certificate, atomically: false, encoding: .utf8)
    }

    private static func date(_ days: Int) -> String {
        // One second earlier, so that a certificate with the start 0 is already valid.
        Date(timeIntervalSinceNow: Double(days) * 86_400 - 1).ISO8601Format().filter { $0.isNumber || $0 == "Z" }
    }

    static func openssl(_ arguments: String...) throws { try openssl(arguments) }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl failed: \(arguments)")
    }
}
