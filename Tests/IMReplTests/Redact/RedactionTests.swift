import Foundation
import IMProtocol
import IMSimulation
import IMTree
import Recorder
import SansIO
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl
@testable import IMSession

/// Tests of redacted recordings: they show the same scenario under pseudonyms, and contain no original name or text.
@Suite struct RedactionTests {
    private func redact(
        _ bytes: [UInt8], _ options: Redaction.Options = Redaction.Options()
    ) throws -> (bytes: [UInt8], summary: Redaction.Summary, pseudonyms: Pseudonyms) {
        try Redaction.bytes(of: try SessionReader(bytes: bytes), path: "a.pcapng", options: options)
    }

    /// Words that may occur in a redacted recording, because the format and the vendors use them too.
    private static let words: Set = [
        "back", "count", "good", "gone", "heart", "none", "null", "offline", "online", "order", "other", "silence",
        "status", "first", "name", "users", "account", "word",
    ]

    @Test(arguments: SessionLibrary.scripts) func playsTheSameScenario(_ name: String) throws {
        let path = SessionLibrary.recordingPath(name.dropLast(4))
        let before = try SessionReader(path: path)
        let result = try Redaction.bytes(of: before, path: path)
        let after = try SessionReader(bytes: result.bytes)
        #expect(after.completeness == .closed)
        #expect(after.header.epochNanoseconds == before.header.epochNanoseconds)
        let (one, two) = (try before.events(), try after.events())
        try #require(one.count == two.count)
        for (original, event) in zip(one, two) {
            try #require(shape(original, before) == shape(event, after))
        }
        expectNothing(of: Self.originals(try DecodedSession(before)), in: result.bytes)
        #expect(Set(result.summary.remaining).isSubset(of: Self.words))
    }

    /// The properties of an event that redaction must not change.
    private func shape(_ event: Event, _ reader: SessionReader) -> String {
        let sessionEvent = event.withView {
            SessionEvent($0, node: reader.name(of: $0.node), schema: IMSessionSchema())
        }
        var parts = [
            "\(event.number) \(event.time.nanoseconds) \(event.node.rawValue) \(event.channel) \(event.role)",
            "\(event.direction) \(event.stream) \(sessionEvent.kind) \(event.comment.isEmpty)",
        ]
        switch sessionEvent.content {
        case .effect(.transition(let change)): parts.append("\(change)")
        case .effect(.complete(let id, let completion)): parts.append("\(id) \(completion.status)")
        case .effect(.send(_, let frame)), .input(.frame(_, let frame)): parts.append(frame.body.name)
        case .header, .clock, .start, .stop, .input, .effect, .environment, .mark, .keyframe, .closing, .unreadable:
            break
        }
        return parts.joined(separator: " ")
    }

    /// The names and texts of a recording, in the fields that contain such values.
    private static func originals(_ decoded: DecodedSession) -> Set<String> {
        let fields: Set = [
            "user", "last-user", "device", "devices", "from", "to", "text", "message", "id", "ids", "others", "by",
            "channel", "members", "member", "target", "ext", "path", "name", "account", "credential",
        ]
        var found: Set<String> = [decoded.header.title]
        for event in decoded.events {
            // The fields `from` and `to` of a transition are states and not users.
            for fact in event.facts where fields.contains(fact.name) && event.kind != "transition" {
                if fact.name == "text" || fact.name == "message" { found.insert(fact.value) }
                found.formUnion(fact.value.split { ",/".contains($0) }.map(String.init))
            }
            if case .start(let start) = event.content, case .client(_, let device, _, _, _, _) = start.body {
                found.formUnion([device.id, device.name, device.ext])
            }
            if case .mark(let text) = event.content { found.insert(text) }
        }
        return found
    }

    private func expectNothing(of originals: Set<String>, in bytes: [UInt8]) {
        let data = Data(bytes)
        let ownWords = [
            "valid", "missing", "expired", "wrong", "tooOften", "revoked", "none", "token-of-", "given-", "connected",
            "serverTimeOffset",
            "groups-", "messages-", "notifications-", "change-", "login", "logout", "initial", ".info", "android",
            "autologin", ".priority",
        ]
        for original in originals
        where original.utf8.count >= 4 && !Self.words.contains(original) && !ownWords.contains(where: original.contains)
            && !ChildIDs.mayBeGenerated(TreeKey(original))
        {
            let isPresent = data.range(of: Data(original.utf8)) != nil
            #expect(!isPresent, "'\(original)' is still there")
        }
    }

    // MARK: Awkward names

    private static let awkward = """
        #! imrepl script 1
        # profile: agora-rtm
        # title: Alice lost her phone
        client new alice --device-name "Alice Smith's iPhone" --device alice-phone
        client new b --device 12345678
        client new c --device "小明的手机" --device-name 手机
        @alice login alice.smith@corp.com
        @b login 小明
        @c login z
        wait 1s
        @alice join secret-room
        @b join secret-room
        @b join r
        @alice send "小明" "hello \\"you\\" / alice.smith"
        @alice send z "alice.smith@corp.com"
        wait 100ms
        @b send secret-room --channel "meet alice.smith@corp.com at 5"
        wait 1s
        @alice attributes mood=happy nick="Ali C"
        wait 1s
        @b query attributes alice.smith@corp.com
        server account add newbie
        wait 1s
        rec mark "Alice lost it in Paris"
        server restart
        wait 5s
        server kick 小明
        @alice net down
        @c net down
        wait 3m

        """

    @Test func typedTextsAreReplacedEverywhere() throws {
        let bytes = try Played.recording(Self.awkward)
        let result = try redact(bytes)
        let originals = [
            "alice", "Alice", "smith", "corp", "小明", "手机", "12345678", "secret-room", "hello", "meet", "happy",
            "Ali C", "newbie", "Paris",
        ]
        for original in originals {
            #expect(Data(bytes).range(of: Data(original.utf8)) != nil, "'\(original)' was never there")
            #expect(Data(result.bytes).range(of: Data(original.utf8)) == nil, "'\(original)' is still there")
        }
        #expect(result.summary.remaining == [])
        #expect(result.summary.users == 4)
        #expect(result.summary.texts == 4)
        #expect(result.summary.notes == 2)
        let nodes = try SessionReader(bytes: result.bytes).nodes
        #expect(nodes[2] != "alice")
        #expect(Array(nodes[3...]) == ["b", "c"])
        #expect(nodes.prefix(2) == ["session", "server"])
    }

    /// A typed text may equal a word of the format. The text is replaced, but the word of the format is kept.
    @Test func wordsOfTheFormatAreKept() throws {
        let bytes = try Played.recording(
            """
            #! imrepl script 1
            # profile: zim
            client new phone --device pad
            client new pad --device phone
            @phone login zim
            @pad login server
            wait 1s
            @phone send server log
            @phone send server 'already logged in'
            @pad send zim groups-1
            @pad send zim op
            wait 1s
            server kick zim phone
            server restart
            wait 1s

            """)
        let result = try redact(bytes)
        let decoded = try DecodedSession(try SessionReader(bytes: result.bytes))
        #expect(Set(decoded.events.map(\.node)).isSuperset(of: ["session", "server"]))
        #expect(result.summary.users == 2)
        #expect(!decoded.events.flatMap(\.facts).contains { ["log", "already logged in", "op"].contains($0.value) })
    }

    @Test func isDeterministic() throws {
        let bytes = try Played.recording(Self.awkward)
        #expect(try redact(bytes).bytes == redact(bytes).bytes)
    }

    @Test func canBeRedactedAgain() throws {
        let once = try redact(try Played.recording(Self.awkward))
        let twice = try redact(once.bytes)
        #expect(twice.summary.events == once.summary.events)
        #expect(
            Set(twice.pseudonyms.entries.map(\.pseudonym)).isDisjoint(with: once.pseudonyms.entries.map(\.pseudonym)))
    }

    @Test func titleAndMarksAreKeptOnRequest() throws {
        let result = try redact(try Played.recording(Self.awkward), Redaction.Options(keepsNotes: true))
        let decoded = try DecodedSession(try SessionReader(bytes: result.bytes))
        let user = result.pseudonyms.name("alice", .user)
        #expect(decoded.header.title == "\(user) lost her phone")
        let marks = decoded.events.compactMap { event -> String? in
            if case .mark(let text) = event.content { text } else { nil }
        }
        #expect(marks == ["\(user) lost it in Paris"])
    }

    @Test func canBeForked() throws {
        let decoded = try DecodedSession(try SessionReader(bytes: try redact(try Played.recording(Self.awkward)).bytes))
        let configuration = try WorldConfiguration(continuing: decoded.header)
        let outcome = try WhatIf(decoded, .none, at: UInt64(decoded.events.count / 2)).run(configuration)
        #expect(outcome.skipped.isEmpty)
    }

    /// Two users go offline at the same instant, and the server handles them in the order of their names. The
    /// pseudonyms must have the same order.
    @Test func theVisibleOrderOfNamesIsKept() throws {
        let bytes = try Played.recording(
            """
            #! imrepl script 1
            # profile: agora-rtm
            client new b
            client new a
            client new w
            @b login bob
            @a login alice
            @w login carol
            wait 100ms
            @w subscribe alice
            @w subscribe bob
            wait 100ms
            @b app kill
            @a app kill
            wait 2m

            """)
        let result = try redact(bytes)
        let names = ["bob", "alice", "carol"].map { result.pseudonyms.name($0, .user) }
        #expect(names[1] < names[0] && names[0] < names[2])
        #expect(result.summary.events == (try SessionReader(bytes: bytes)).eventCount)
    }

    // MARK: What cannot be redacted

    /// A copy of the recording without one event.
    private func copied(
        _ bytes: [UInt8], leavingOut number: UInt64, behaviour: UInt32 = IMSessionSchema().behaviourVersion,
        closes: Bool = true
    ) throws
        -> [UInt8]
    {
        let reader = try SessionReader(bytes: bytes)
        let sink = MemorySink()
        let log = SessionLog(
            sink: sink, formatName: reader.header.formatName, behaviourVersion: behaviour, header: reader.header,
            epochNanoseconds: reader.header.epochNanoseconds)
        for name in reader.nodes.dropFirst() { _ = log.addNode(name) }
        for event in try reader.events().dropFirst(2) where event.number != number && event.role != .closing {
            let draft = EventDraft(
                channel: event.channel, direction: event.direction, stream: event.stream, payload: event.payload)
            log.append(event.role, node: event.node, draft: draft, at: event.time, comment: event.comment)
        }
        if closes { try log.close(at: .zero) } else { try log.flush() }
        return sink.bytes
    }

    private func failure(_ bytes: [UInt8]) -> ExportError? {
        #expect(throws: ExportError.self) { try redact(bytes) }
    }

    @Test func aRecordingThatDivergesIsRefused() throws {
        let bytes = try Played.recording(Self.awkward)
        let effect = try #require(try SessionReader(bytes: bytes).events().first { $0.role == .effect })
        let error = failure(try copied(bytes, leavingOut: effect.number))
        #expect(error?.reason == .diverged)
        #expect(error?.description.contains("diverged at event \(effect.number), so it cannot be redacted") == true)
    }

    /// If the current machines replay the recording, it becomes a recording of theirs. Otherwise the recorded effects
    /// are copied.
    @Test func aRecordingOfOtherBehaviourIsMarkedAsSuch() throws {
        let bytes = try Played.recording(Self.awkward)
        let same = try redact(try copied(bytes, leavingOut: 0, behaviour: 99))
        #expect(same.summary.isVerified)
        #expect(try SessionReader(bytes: same.bytes).header.behaviourVersion == IMSessionSchema().behaviourVersion)
        let effect = try #require(try SessionReader(bytes: bytes).events().first { $0.role == .effect })
        let other = try redact(try copied(bytes, leavingOut: effect.number, behaviour: 99))
        #expect(!other.summary.isVerified)
        #expect(try SessionReader(bytes: other.bytes).header.behaviourVersion == 99)
    }

    @Test func aTruncatedRecordingStaysTruncated() throws {
        let result = try redact(try copied(try Played.recording(Self.awkward), leavingOut: 0, closes: false))
        #expect(try SessionReader(bytes: result.bytes).completeness == .torn(droppedBytes: 0))
    }
}

extension RedactionTests {
    @Test("generated data is copied under pseudonyms, marked as a copy, and replayed as such")
    func madeUpData() throws {
        let path = SessionLibrary.recordingPath("zim-09-a-year-of-history")
        let result = try Redaction.bytes(of: try SessionReader(path: path), path: path)
        #expect(!result.summary.isVerified)
        let copy = try SessionReader(bytes: result.bytes)
        #expect(copy.header.behaviourVersion == BehaviourDifference.noVersion)
        let difference = try #require(try copy.behaviourDifference())
        #expect("\(difference)".hasPrefix("a redacted copy of generated data"))
    }
}
