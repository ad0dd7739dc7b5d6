import Foundation
import IMLive
import Testing

/// A self-signed certificate made by openssl for one test.
final class Certificate {
    let folder: URL
    let files: TLSFiles

    init(names: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "imtransport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = TLSFiles(
            certificate: folder.appending(path: "cert.pem").path(), key: folder.appending(path: "key.pem").path())
        try Self.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", files.key, "-out", files.certificate, "-days", "2", "-subj", "/CN=imrepl test",
            "-addext", "subjectAltName=\(names)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl failed: \(arguments)")
    }
}
