import Foundation
import Recorder
import SansIO
import Testing

/// Files that are not sessions, or not of this version, are refused with a message.
@Suite struct RefusalTests {
    private func refusal(_ bytes: [UInt8]) -> String {
        do {
            _ = try SessionReader(bytes: bytes).events()
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func aFileThatIsNotPcapng() throws {
        #expect(refusal([]) == "an empty file")
        #expect(refusal(Array("login alice\n".utf8)) == "not a session (no pcapng header)")
        let classic: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1] + Array(repeating: 0, count: 20)
        #expect(refusal(classic) == "not a session (no pcapng header)")
        #expect(refusal([0x0A, 0x0D]) == "truncated after 2 bytes, before the end of the first event")
        let bigEndian: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 28, 0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0]
        #expect(refusal(bigEndian) == "not a session (a pcapng in big-endian byte order)")
    }

    @Test func aFileOfAnotherProgram() throws {
        let bytes = try Recording.full().bytes
        let text = String(decoding: bytes[28..<28 + 29], as: UTF8.self)
        #expect(text == "imrepl 0.1 (session format 2)")
        var foreign = bytes
        foreign.replaceSubrange(28..<28 + 29, with: Array("Dumpcap (Wireshark) 4.0.17 xx".utf8))
        #expect(refusal(foreign) == "a pcapng of another program (Dumpcap (Wireshark) 4.0.17 xx)")
        let bare: [UInt8] = [
            0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255,
            255, 28, 0, 0, 0,
        ]
        #expect(refusal(bare) == "a pcapng of another program")
    }

    @Test func aFileOfALaterVersion() throws {
        var bytes = try Recording.full().bytes
        bytes[28 + 27] = UInt8(ascii: "3")
        #expect(refusal(bytes) == "written by a newer imrepl (session format 3; this one reads 2)")
    }

    @Test func directoriesAndMissingFiles() throws {
        let folder = try TemporaryFolder()
        #expect(throws: SessionError.directory) { try SessionReader(path: folder.path) }
        #expect(throws: SessionError.unreadable(reason: "No such file or directory")) {
            try SessionReader(path: folder.path + "/none")
        }
        #expect("\(SessionError.directory)" == "a directory, not a session file")
    }

    @Test func everyErrorIsOneLine() {
        let errors: [SessionError] = [
            .unwritable(reason: "x"), .damaged(event: 17, reason: "the checksum does not match"), .merged(event: 4),
            .otherFormat(found: "a", expected: "b"), .otherBehaviour(found: 1, expected: 2),
            .undecodable(event: 1, node: "n", reason: "r"), .notStarted(event: 1, node: "n"),
            .payloadTooLarge(role: .start, bytes: 9, limit: 8), .tooManyNodes(limit: 3),
            .noSuchEvent(number: 2, last: 1),
        ]
        for error in errors { #expect(!"\(error)".contains("\n") && !"\(error)".contains("SessionError")) }
        #expect("\(errors[1])" == "damaged at event 17: the checksum does not match")
    }
}

/// A new folder, which is removed when the last reference to it is released.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/recorder-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
