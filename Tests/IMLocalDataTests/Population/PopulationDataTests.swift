import IMProtocol
import Testing

@testable import IMLocalData

/// The content of populations, and the answers of a database with one.
@Suite struct PopulationDataTests {
    private static let messages = PopulationTests.messages(PopulationTests.whole)

    private static func share(_ condition: (LocalMessage) -> Bool) -> Int { messages.count(where: condition) }

    private static func hasHan(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
    }
    private static func hasLatin(_ text: String) -> Bool { text.utf8.contains { (0x61...0x7A).contains($0) } }

    @Test("every kind of change and of message occurs")
    func kinds() {
        let changes = PopulationTests.whole
        let kinds = Set(changes.map { $0.record().kind })
        #expect(
            kinds == [
                .user, .friend, .friendApplication, .blacklist, .group, .member, .groupApplication, .conversation,
                .message,
                .read, .reaction, .readElsewhere, .call,
            ])
        let byKind = LocalMessage.Kind.allCases.map { kind in Self.share { $0.kind == kind } }
        #expect(byKind == [16517, 0, 0, 1397, 519, 716, 299, 0, 69, 152, 132, 199])
    }

    @Test("the frequencies of changes")
    func shares() {
        let texts = Self.messages.filter { $0.kind == .text }
        let mixed = texts.count { Self.hasHan($0.text) && Self.hasLatin($0.text) }
        let han = texts.count { Self.hasHan($0.text) && !Self.hasLatin($0.text) }
        #expect([han, mixed, texts.count - han - mixed] == [9210, 1590, 5717])
        let peers = Self.messages.filter { $0.conversation.kind == .peer }
        #expect([peers.count { $0.sender == "alice" } * 1_000 / peers.count] == [452])
        let words = ["电梯", "发票", "缝纫机", "meeting", "invoice", "barometer", "gramophone", "留声机"]
        #expect(words.map { word in texts.count { $0.text.contains(word) } } == [278, 75, 30, 444, 121, 20, 0, 1])
        #expect(
            [Self.share { !$0.mentioned.isEmpty }, Self.share { $0.wantsReceipts }, Self.share { $0.parts.count > 1 }]
                == [126, 150, 132])
        let sizes = [LocalMessage.Kind.image, .file, .audio, .video].map { kind in
            let sizes = Self.messages.filter { $0.kind == kind }.compactMap { $0.file?.size }.sorted()
            return [sizes.first ?? 0, sizes[sizes.count / 2], sizes.last ?? 0]
        }
        #expect(
            sizes == [
                [26179, 331064, 3498592], [2720, 185671, 10583424], [4384, 43856, 488248], [374848, 5898056, 95209712],
            ])
        #expect([Self.share { $0.file?.downloadedAt != nil }, Self.share { $0.file != nil }] == [1999, 2931])
    }

    @Test("a few conversations have most of the messages")
    func skew() {
        var counts: [ConversationID: Int] = [:]
        for message in Self.messages { counts[message.conversation, default: 0] += 1 }
        let sorted = counts.values.sorted(by: >)
        #expect([sorted[0], sorted[10], sorted[sorted.count / 2], sorted.count] == [2961, 206, 37, 300])
    }

    @Test("few changes happen at night, by China's time")
    func nights() {
        let night = Self.share { ($0.timestamp / 3_600_000 + 8) % 24 < 6 }
        #expect((700...900).contains(night), "\(night)")
    }

    @Test("without files nothing was downloaded, and everything else is equal")
    func withoutFiles() {
        var without = PopulationTests.small
        without.hasFiles = false
        let bare = PopulationTests.messages(without)
        #expect(bare.allSatisfy { $0.file?.downloadedAt == nil })
        let stripped = Self.messages.map { message in
            var message = message
            message.file?.downloadedAt = nil
            return message
        }
        #expect(bare == stripped)
    }

    // MARK: A database

    private static let fed: UserDatabase = {
        var database = UserDatabase(owner: "alice")
        let population = Population(
            seed: 5, messages: 2_000, conversations: 40, days: 30, endMilliseconds: PopulationTests.end, hasFiles: true)
        database.apply(PopulationTests.all(population), upTo: UInt64(population.count(owner: "alice")))
        return database
    }()

    private func pages(
        _ database: inout UserDatabase, _ name: String, _ arguments: [(String, String)], next: String, column: String
    ) -> [String] {
        var (found, position): ([String], String) = ([], "")
        repeat {
            guard let call = LocalCall(name: name) else { return [] }
            let answer = database.answer(
                LocalRequest(call, arguments + [(next, position)], deviceMilliseconds: PopulationTests.end))
            #expect(answer.status == .ok)
            found += answer.column(column).compactMap(\.self)
            position = answer.next
        } while !position.isEmpty && found.count < 100_000
        return found
    }

    @Test("ZIM-9: the pages of a populated database have every conversation and every message once")
    func everythingOnce() {
        var database = Self.fed
        let conversations = pages(
            &database, "queryConversationListWithConfig", [("count", "7")], next: "nextConversation",
            column: "conversationID")
        #expect(conversations.count == 40 && Set(conversations).count == 40)
        var messages: [String] = []
        for id in conversations {
            let isGroup = id.hasPrefix("g-")
            messages += pages(
                &database, "queryHistoryMessageByConversationID",
                [("conversationID", id), ("conversationType", isGroup ? "group" : "peer"), ("count", "13")],
                next: "nextMessage", column: "messageID")
        }
        #expect(messages.count == 2_000 && Set(messages).count == 2_000)
    }

    @Test("ZIM-9: words are found in their messages")
    func search() {
        var database = Self.fed
        for word in ["电梯", "meeting", "发票"] {
            let found = pages(
                &database, "searchGlobalLocalMessagesWithConfig", [("keywords", word), ("count", "5")],
                next: "nextMessage", column: "messageID")
            let matching = database.messages.values.joined().filter {
                Keywords([word]).occur(in: [$0.text, $0.file?.name ?? ""])
            }
            #expect(Set(found) == Set(matching.map(\.id)) && found.count == matching.count && !found.isEmpty)
        }
    }

    @Test("ZIM-9: most messages were read elsewhere, files were downloaded, and users exist")
    func lists() {
        var database = Self.fed
        let unread = database.conversations.values.count { $0.unreadCount > 0 }
        #expect((1...12).contains(unread))
        let total = database.call("queryLocalFileCacheWithConfig").column("totalFileSize").first.flatMap { $0 }
        #expect(total.flatMap { Int($0) } ?? 0 > 1_000_000)
        #expect(!database.call("queryFriendListWithConfig").rows.isEmpty)
        #expect(!database.call("queryGroupList").rows.isEmpty)
        #expect(!database.call("queryCallInvitationListWithConfig").rows.isEmpty)
        #expect(database.messages.values.joined().contains { !$0.readers.isEmpty })
        #expect(database.messages.values.joined().contains { !$0.reactions.isEmpty })
    }
}
