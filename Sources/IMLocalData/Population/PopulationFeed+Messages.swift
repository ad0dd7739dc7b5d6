import SansIO

// Generates the messages of a population, and the read receipts of and reactions to the latest messages.

extension PopulationFeed {
    /// The number of messages in a burst. People often send several messages in a row, so the messages of a burst are
    /// in one or two conversations.
    private static let burst = 8

    /// The conversation and the language of a message.
    private struct Exchange {
        var conversation: Int
        var vocabulary: Vocabulary
    }

    private func exchange(of message: Int) -> Exchange {
        var burst = SeededRandom(key, Part.messages.rawValue ^ 0x100, message / Self.burst)
        var single = SeededRandom(key, Part.messages.rawValue ^ 0x200, message)
        if single.percent(25) { burst = SeededRandom(seed: burst.next()) }
        // A few conversations have most of the messages. The shuffle spreads these conversations over the whole list.
        let rank = burst.skewedIndex(layout.conversations)
        let conversation = PopulationDraw.shuffled(rank, of: layout.conversations, key: key)
        let vocabulary: Vocabulary =
            switch burst.below(100) {
            case ..<55: .chinese
            case ..<90: .english
            default: .mixed
            }
        return Exchange(conversation: conversation, vocabulary: vocabulary)
    }

    func messageID(_ index: Int) -> String { "\(prefix)-\(index + 1)" }

    private func time(of message: Int) -> Int64 {
        var random = SeededRandom(key, Part.messages.rawValue ^ 0x300, message)
        return layout.time(of: message, jitter: random.next())
    }

    /// The sender of a message. The owner of the data sends 45 % of the messages to a user, and 20 % of those in a
    /// group.
    private func sender(in conversation: Int, _ random: inout SeededRandom) -> String {
        guard conversation >= layout.peers else { return random.percent(45) ? owner : userID(conversation) }
        let group = conversation - layout.peers
        if random.percent(20) { return owner }
        return memberID(1 + random.earlyIndex(layout.members(of: group) - 1), of: group)
    }

    func message(_ index: Int) -> LocalMessage {
        var random = random(.messages, index)
        let exchange = self.exchange(of: index)
        var message = LocalMessage(
            id: messageID(index), conversation: conversationID(exchange.conversation),
            sender: sender(in: exchange.conversation, &random), text: "", timestamp: time(of: index),
            // One number series for all conversations, so the numbers increase in each conversation too.
            sequence: Int64(index) + 1)
        fill(&message, at: index, exchange, &random)
        return message
    }

    private func fill(_ message: inout LocalMessage, at index: Int, _ exchange: Exchange, _ random: inout SeededRandom)
    {
        switch random.below(1_000) {
        case ..<70: attach(.image, to: &message, &random)
        case ..<95: attach(.file, to: &message, &random)
        case ..<130: attach(.audio, to: &message, &random)
        case ..<145: attach(.video, to: &message, &random)
        case ..<155:
            message.kind = .custom
            message.text = random.one(of: PopulationNames.customTypes)
            message.extendedData = "{\"subType\":\(1 + random.below(5))}"
        case ..<162:
            message.kind = .tips
            message.text = random.one(of: exchange.vocabulary.tips)
        case ..<168: combine(&message, exchange, &random)
        case ..<172: message.kind = .revoke
        default: write(&message, at: index, exchange, &random)
        }
    }

    private func write(_ message: inout LocalMessage, at index: Int, _ exchange: Exchange, _ random: inout SeededRandom)
    {
        message.text = exchange.vocabulary.text(&random)
        let (replies, mentions, requestsReceipt) = (random.percent(8), random.percent(6), random.percent(30))
        if replies { message.repliesTo = earlier(index, in: exchange.conversation) }
        guard message.conversation.kind == .group else { return }
        message.wantsReceipts = requestsReceipt && message.sender == owner
        guard mentions else { return }
        let group = exchange.conversation - layout.peers
        let mentioned = memberID(random.itemIndex(layout.members(of: group)), of: group)
        guard mentioned != message.sender else { return }
        message.mentioned = [mentioned]
        message.text = "@\(mentioned) \(message.text)"
    }

    /// The id of the previous message in the same burst and conversation; empty if there is none.
    private func earlier(_ index: Int, in conversation: Int) -> String {
        let first = index / Self.burst * Self.burst
        let before = (first..<index).reversed().first { exchange(of: $0).conversation == conversation }
        return before.map(messageID) ?? ""
    }

    /// Makes the message a combined message that contains two to four generated messages.
    private func combine(_ message: inout LocalMessage, _ exchange: Exchange, _ random: inout SeededRandom) {
        message.kind = .combine
        message.text = random.one(of: exchange.vocabulary.combineTitles)
        let count = 2 + random.itemIndex(3)
        for itemIndex in 1...count {
            message.parts.append(
                LocalMessage(
                    id: "\(message.id)-\(itemIndex)", conversation: message.conversation,
                    sender: sender(in: exchange.conversation, &random), text: exchange.vocabulary.text(&random),
                    timestamp: message.timestamp - Int64(count - itemIndex + 1) * 60_000))
        }
    }

    // MARK: Files

    private func attach(_ kind: LocalMessage.Kind, to message: inout LocalMessage, _ random: inout SeededRandom) {
        message.kind = kind
        let number = random.below(9_000) + 1_000
        let (name, size): (String, Int64) =
            switch kind {
            case .image:
                ("IMG_\(number).\(random.percent(80) ? "jpg" : "png")", random.size(around: 320_000, octaves: 4))
            case .audio: ("voice-\(number).m4a", random.size(around: 45_000, octaves: 4))
            case .video: ("VID_\(number).mp4", random.size(around: 6_000_000, octaves: 5))
            default:
                (
                    "\(random.one(of: PopulationNames.documents))-\(number).\(random.one(of: PopulationNames.endings))",
                    random.size(around: 180_000, octaves: 7)
                )
            }
        message.file = LocalMessage.File(name: name, size: size)
        let (fetched, delay) = (random.percent(70), Int64(random.below(7_200_000)))
        if hasFiles && fetched { message.file?.downloadedAt = min(message.timestamp + delay, layout.end) }
    }

    // MARK: Reads and reactions

    /// A read receipt of a message, or a reaction to it. For a message from the owner of the data it comes from another
    /// user, for any other message from the owner.
    func readsAndReactions(_ index: Int) -> LocalChange {
        var random = random(.readsAndReactions, index)
        let message = message(index)
        var somebody = owner
        if message.sender == owner {
            somebody = message.conversation.id
            if message.conversation.kind == .group {
                let group = exchange(of: index).conversation - layout.peers
                somebody = memberID(1 + random.itemIndex(layout.members(of: group) - 1), of: group)
            }
        }
        if message.kind == .revoke || random.percent(45) { return .read(messages: [message.id], by: somebody) }
        let type = random.one(of: PopulationNames.reactions)
        return .reaction(
            message: message.id, LocalMessage.Reaction(type: type, user: somebody), isOn: !random.percent(3))
    }
}
