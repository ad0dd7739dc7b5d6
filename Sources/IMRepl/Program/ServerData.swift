import Foundation
import IMLive
import IMShell

/// What a server keeps in its folder: the key that signs its tokens, and its store. Without a folder it has a key of the
/// moment, and keeps nothing.
struct ServerData: Sendable {
    let key: [UInt8]
    let store: SQLiteServerStore?

    /// - Throws: ``ShellError`` that says what to do.
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

/// The key that a server signs its tokens with; kept with its data, so that tokens outlive the process.
enum ServerKey {
    static func load(_ path: String) throws -> [UInt8] {
        // Made by one of two that start at once; the other one reads it.
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
                message: "'\(path)' cannot be made: \(String(cString: strerror(errno)))", reason: .environment)
        }
        // What an older version, or a copy, may have left open to others.
        chmod(path, 0o600)
        guard let kept = FileManager.default.contents(atPath: path), kept.count == JWTAuthority.keyBytes else {
            throw ShellError(
                message: "'\(path)' is not a signing key; move it away to get a new one", reason: .environment)
        }
        return Array(kept)
    }
}
