import Foundation
import IMLocalData
import IMProtocol

/// An export of a user's messages (ZIM-9). It is a folder with two files. The first has one message on each line, and
/// its name contains a digest of its bytes. The second is `manifest.json`, which contains the user, the number of
/// messages and the digest.
///
/// The manifest is written last, by a rename. Files that it does not name are ignored. So if the process is killed
/// during an export, the folder contains the previous export, none, or the complete new one.
public enum MessageArchive {
    /// The contents of the manifest.
    struct Manifest: Codable, Equatable {
        /// The version of the format. It increases if older versions of this program cannot read the new format.
        var format: Int
        var user: String
        var count: Int
        /// The 64-bit FNV-1a hash of the messages' file, in hexadecimal.
        var digest: String

        var messagesName: String { "messages-\(digest).ndjson" }
    }

    static let format = 1
    private static let manifestName = "manifest.json"

    /// Writes messages into a folder and replaces an earlier export there.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be written or contains other files. Its earlier contents are then
    ///   unchanged.
    public static func write(
        _ messages: [LocalMessage], of user: String, to folder: String, progress: WorkProgress? = nil
    ) throws(StoreError) {
        do {
            try writeAll(messages, user, folder, progress)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("the folder '\(folder)' cannot be written: \(error.localizedDescription)")
        }
    }

    private static func writeAll(
        _ messages: [LocalMessage], _ user: String, _ folder: String, _ progress: WorkProgress?
    ) throws {
        let files = FileManager.default
        // A shell expands `~`. Here it is not expanded, and would be the name of a folder.
        guard folder != "~", !folder.hasPrefix("~/") else {
            throw StoreError("'\(folder)' begins with '~', which is not expanded here; write the full path")
        }
        let before = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        guard before.allSatisfy(isOwn) else {
            throw StoreError("'\(folder)' contains other files; choose another folder")
        }
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var data = Data()
        let lines = JSONEncoder()
        lines.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (index, message) in messages.enumerated() {
            data.append(try line(message, lines))
            data.append(10)
            progress?.report(index + 1, of: messages.count)
        }
        let manifest = Manifest(format: format, user: user, count: messages.count, digest: digest(data))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try write(data, to: folder + "/" + manifest.messagesName)
        try write(try encoder.encode(manifest), to: folder + "/" + manifestName)
        for name in before where name.hasPrefix("messages-") && name != manifest.messagesName {
            try? files.removeItem(atPath: folder + "/" + name)
        }
    }

    /// True for a file of an export, even if the export is incomplete.
    private static func isOwn(_ name: String) -> Bool { name.hasPrefix(manifestName) || name.hasPrefix("messages-") }

    /// Writes a file under another name, synchronises it to the disk, and renames it. A repeated export of the same
    /// messages replaces an existing file, which must not be lost.
    private static func write(_ data: Data, to path: String) throws {
        let partial = URL(fileURLWithPath: path + ".partial")
        try PrivateFile.make(partial.path)
        try data.write(to: partial)
        let handle = try FileHandle(forUpdating: partial)
        defer { try? handle.close() }
        try handle.synchronize()
        guard rename(partial.path, path) == 0 else {
            throw StoreError("'\(path)' cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Reads and checks a whole export, so that the caller never uses a part of a damaged one.
    ///
    /// - Throws: ``StoreError`` for a folder without an export, and for an export that is damaged, of a later version
    ///   or of another user.
    public static func read(
        _ folder: String, for user: String, progress: WorkProgress? = nil
    ) throws(StoreError) -> [LocalMessage] {
        guard let json = FileManager.default.contents(atPath: folder + "/" + manifestName),
            let manifest = try? JSONDecoder().decode(Manifest.self, from: json)
        else { throw StoreError("'\(folder)' is not an export of messages") }
        guard manifest.format <= format else { throw StoreError("the export '\(folder)' is newer than this version") }
        guard manifest.user == user else { throw StoreError("the export '\(folder)' belongs to another user") }
        guard let data = FileManager.default.contents(atPath: folder + "/" + manifest.messagesName),
            digest(data) == manifest.digest
        else { throw StoreError("the export '\(folder)' is damaged") }
        var messages: [LocalMessage] = []
        let decoder = JSONDecoder()
        for line in data.split(separator: 10) {
            guard let message = message(line, decoder) else { throw StoreError("the export '\(folder)' is damaged") }
            messages.append(message)
            progress?.report(messages.count, of: manifest.count)
        }
        guard messages.count == manifest.count else { throw StoreError("the export '\(folder)' is damaged") }
        return messages
    }

    // MARK: Lines

    /// The JSON value of a message's field: one text, or several texts if the message has the field several times.
    private enum MemberValue: Codable {
        case one(String)
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else {
                self = .several(try container.decode([String].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .one(let text): try container.encode(text)
            case .several(let texts): try container.encode(texts)
            }
        }

        var texts: [String] {
            switch self {
            case .one(let text): [text]
            case .several(let texts): texts
            }
        }
    }

    /// The line of a message: a JSON object with the message's fields.
    private static func line(_ message: LocalMessage, _ encoder: JSONEncoder) throws -> Data {
        var object: [String: MemberValue] = [:]
        for field in message.archivedFields {
            let texts = object[field.name]?.texts ?? []
            object[field.name] = texts.isEmpty ? .one(field.value) : .several(texts + [field.value])
        }
        return try encoder.encode(object)
    }

    private static func message(_ line: Data, _ decoder: JSONDecoder) -> LocalMessage? {
        guard let object = try? decoder.decode([String: MemberValue].self, from: line) else { return nil }
        return LocalMessage(
            archived: object.keys.sorted().flatMap { name in
                (object[name]?.texts ?? []).map { AnswerField(name: name, value: $0) }
            })
    }

    static func digest(_ data: Data) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        data.withUnsafeBytes { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
        return String(hash, radix: 16)
    }
}
