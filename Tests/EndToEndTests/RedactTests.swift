import Foundation
import TestSupport
import Testing

/// Tests of `imrepl redact` as a user runs it.
@Suite(.onOwnThreads) struct RedactTests {
    private static let chat =
        Scenario.head + """
            client new phone --device-name "my own phone"
            client new pad
            @phone login alice
            @pad login bob
            wait 1s
            @phone send bob 'where are you?'
            wait 1s
            rec mark "here it begins"

            """

    private func recorded() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write(Self.chat, "chat.imr")
        let result = try sandbox.imrepl("run", "chat.imr", "--world", "simulated", "--record", "chat.pcapng")
        try #require(result.status == 0, "\(result.errors)")
        return sandbox
    }

    /// A recording of another behaviour version does not replay with these machines. It can be redacted nevertheless,
    /// and the output does not state that it verifies.
    @Test func `a recording of another behaviour version is verified, shown and redacted as such`() throws {
        let sandbox = try Sandbox()
        let older = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "OlderRecordings/behaviour-4/a-logout-whose-link-breaks.pcapng")
        try sandbox.write(Data(contentsOf: older), "old.pcapng")
        let verified = try sandbox.imrepl("verify", "old.pcapng")
        #expect(verified.status == 4 && verified.output.hasPrefix("old.pcapng: diverged at event 34\n"))
        let notice = "old.pcapng: recorded with behaviour version 4; version "
        #expect(verified.errors.hasPrefix(notice) && verified.errors.hasSuffix("from event 34 on\n"))
        #expect(try sandbox.imrepl("show", "old.pcapng").status == 0)
        let replayed = try sandbox.imrepl("replay", "old.pcapng", "-c", "goto end", "-c", "why", "-c", "state phone")
        #expect(replayed.status == 0 && replayed.output.contains("cause: #26"), "\(replayed.output)\(replayed.errors)")
        #expect(
            replayed.errors.hasPrefix(notice) && replayed.errors.contains("states after it are those of this version"))
        let redacted = try sandbox.imrepl("redact", "old.pcapng", "-o", "shared.pcapng")
        #expect(redacted.status == 0)
        #expect(redacted.output.contains("the effects of its own version are copied (60 events)"))
        #expect(try !String(decoding: sandbox.data("shared.pcapng"), as: UTF8.self).contains("alice"))
        #expect(try sandbox.imrepl("verify", "shared.pcapng").status == 4)
    }

    @Test func `a redacted file from the list does not become the newest recording`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Self.chat, "sessions/chat.imr")
        let recorded = try sandbox.imrepl("run", "sessions/chat.imr", "--world", "simulated")
        try #require(recorded.status == 0, "\(recorded.errors)")
        let before = try sandbox.files(below: "sessions")
        let result = try sandbox.imrepl("redact", "last")
        #expect(result.status == 0)
        #expect(try sandbox.files(below: "sessions") == before)
        #expect(try sandbox.files().filter { $0.hasSuffix("redacted.pcapng") }.count == 1)
    }

    @Test func `the result is a recording beside the original`() throws {
        let sandbox = try recorded()
        let original = try sandbox.data("chat.pcapng")
        let result = try sandbox.imrepl("redact", "chat.pcapng")
        #expect(result.status == 0)
        #expect(result.errors == "")
        let events = try sandbox.imrepl("show", "--json", "chat.pcapng").lines.count
        #expect(
            result.lines.first
                == "redacted 2 users, 3 devices, 1 text, 2 notes into redacted.pcapng; "
                + "it verifies (\(events) events)")
        #expect(result.lines.last?.hasPrefix("not replaced: kinds, times and states of events") == true)
        #expect(try sandbox.data("chat.pcapng") == original)
        let redacted = try sandbox.data("redacted.pcapng")
        for text in ["alice", "bob", "my own phone", "where are you", "here it begins", "chat.imr"] {
            #expect(redacted.range(of: Data(text.utf8)) == nil, "'\(text)' is still there")
        }
        #expect(try sandbox.imrepl("verify", "redacted.pcapng").output.contains("verified \(events) events"))
        let shown = try sandbox.imrepl("show", "--json", "redacted.pcapng").lines.map(JSONLine.init)
        let before = try sandbox.imrepl("show", "--json", "chat.pcapng").lines.map(JSONLine.init)
        #expect(
            shown.map { "\($0.number) \($0.time) \($0.kind)" } == before.map { "\($0.number) \($0.time) \($0.kind)" })
        #expect(try sandbox.files().filter { $0.hasSuffix(".part") } == [])
    }

    @Test func `the map reverses the redaction, and only its owner can read it`() throws {
        let sandbox = try recorded()
        #expect(try sandbox.imrepl("redact", "chat.pcapng", "-o", "b.pcapng", "--map", "who.ndjson").status == 0)
        let lines = String(decoding: try sandbox.data("who.ndjson"), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains(#"{"kind":"user","original":"alice","pseudonym":"user1"}"#))
        let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.file("who.ndjson"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `notes are kept on request`() throws {
        let sandbox = try recorded()
        #expect(try sandbox.imrepl("redact", "chat.pcapng", "--keep-notes").status == 0)
        #expect(try sandbox.imrepl("show", "redacted.pcapng").output.contains("mark here it begins"))
    }

    @Test func `no file is overwritten`() throws {
        let sandbox = try recorded()
        try sandbox.write("mine", "redacted.pcapng")
        let refused = try sandbox.imrepl("redact", "chat.pcapng")
        #expect(refused.status == 3)
        #expect(
            refused.errors
                == "imrepl: 'redacted.pcapng' already exists; --force replaces it, -o writes another file\n")
        #expect(try sandbox.data("redacted.pcapng") == Data("mine".utf8))
        #expect(try sandbox.imrepl("redact", "chat.pcapng", "--force").status == 0)
        let itself = try sandbox.imrepl("redact", "chat.pcapng", "-o", "./chat.pcapng", "--force")
        #expect(itself.status == 3)
        #expect(itself.errors.contains("is the recording itself"))
        let map = try sandbox.imrepl("redact", "chat.pcapng", "--force", "--map", "chat.pcapng")
        #expect(map.status == 3)
        #expect(try sandbox.imrepl("verify", "chat.pcapng").status == 0)
    }

    @Test func `a file that is not a recording is refused`() throws {
        let sandbox = try recorded()
        try sandbox.write("hello", "a.txt")
        let foreign = try sandbox.imrepl("redact", "a.txt")
        #expect(foreign.status == 5)
        #expect(foreign.errors.hasPrefix("imrepl: a.txt: not a session (no pcapng header); it is text"))
        #expect(try sandbox.imrepl("redact", "nowhere.pcapng").status == 5)
        #expect(try sandbox.imrepl("redact", "chat.pcapng", "-o", "no/where.pcapng").status == 3)
        #expect(try sandbox.imrepl("redact").status == 2)
        var damaged = try sandbox.data("chat.pcapng")
        damaged[damaged.count / 2] ^= 0x40
        try sandbox.write(damaged, "damaged.pcapng")
        let result = try sandbox.imrepl("redact", "damaged.pcapng")
        #expect(result.status == 5)
        #expect(result.errors.contains("damaged at event"))
        #expect(try sandbox.files().filter { $0.contains("redacted") || $0.hasSuffix(".part") } == [])
    }

    @Test func `a truncated recording is redacted up to its last complete event`() throws {
        let sandbox = try recorded()
        let bytes = try sandbox.data("chat.pcapng")
        try sandbox.write(bytes.prefix(bytes.count * 2 / 3), "torn.pcapng")
        let result = try sandbox.imrepl("redact", "torn.pcapng")
        #expect(result.status == 0)
        #expect(result.errors.contains("closing record missing"))
        #expect(try sandbox.imrepl("verify", "redacted.pcapng").status == 0)
    }
}
