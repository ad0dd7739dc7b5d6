import Foundation
import IMLive
import IMShell

/// A server's data in its folder: the key that signs its tokens, and its store. Without a folder it has a temporary
/// key, and stores nothing.
struct ServerData: Sendable {
    let key: [UInt8]
    let store: SQLiteServerStore?

    /// - Throws: ``ShellError`` with the remedy.
    init(folder: String?) throws {
        guard let folder else {
            (key, store) = (JWTAuthority.makeKey(), nil)
            return
        }
        try Folder.make(folder)
        key = try ServerKey.load(folder + "/signing-key")
        do {
            store = try SQLiteServerStore(path: folder + "/server.sqlite")
        } catch {
            throw ShellError(message: "\(error); choose another folder with --data", reason: .environment)
        }
    }

    func close() { store?.close() }
}

/// The key that signs a server's tokens. It is stored with the server's data, so that tokens outlive the process.
enum ServerKey {
    static func load(_ path: String) throws -> [UInt8] {
        // If two processes start at the same time, one creates the file and the other reads it.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            defer { close(descriptor) }
            let key = JWTAuthority.makeKey()
            guard write(descriptor, key, key.count) == key.count, fsync(descriptor) == 0 else {
                unlink(path)
                throw ShellError(message: "'\(path)' cannot be written", reason: .environment)
            }
            return key
        }
        guard errno == EEXIST else {
            throw ShellError(
                message: "'\(path)' cannot be created: \(String(cString: strerror(errno)))", reason: .environment)
        }
        // An older version, or a copy of the file, may be readable for other users.
        chmod(path, 0o600)
        guard let kept = FileManager.default.contents(atPath: path), kept.count == JWTAuthority.keyBytes else {
            throw ShellError(
                message: "'\(path)' is not a signing key; move the file away to create a new key", reason: .environment)
        }
        return Array(kept)
    }
}
