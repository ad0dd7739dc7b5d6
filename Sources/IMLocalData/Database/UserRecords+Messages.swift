import IMProtocol

// Calls about messages. They change this device's data only. If they delete a message, the server still has it, but a
// sync does not restore it here (ZIM-9, rule 3).

extension UserRecords {
    /// A page of messages in order of their positions; it continues after the end of the previous page.
    ///
    /// - Parameters:
    ///   - id: nil for all conversations.
    ///   - filter: nil for all messages.
    func messagePage(
        _ request: LocalRequest, in id: ConversationID?, oldestFirst: Bool, _ filter: MessageFilter?
    ) throws(Failure) -> LocalAnswer {
        var range = MessageRange(
            after: Position(request.text("nextMessage")), oldestFirst: oldestFirst, most: request.count() + 1)
        if let id {
            guard let conversation = try storedConversation(id) else { return found([]) }
            range.conversation = conversation
        }
        let following = try messages(range, where: filter)
        return try page(of: following, request, place: { $0.position.text }) { rows.row($0) }
    }

    mutating func updateLocalExtendedData(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        guard var message = try message(request.text("message")) else { return missing }
        message.localExtendedData = request.text("localExtendedData")
        try setLocalExtendedData(message.localExtendedData, of: message)
        return found([rows.row(message)])
    }

    mutating func insertMessage(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        var message = LocalMessage(
            id: "", conversation: request.conversation, sender: request.text("senderUserID"),
            text: request.text("message"), timestamp: request.deviceMilliseconds)
        message.isUserInserted = true
        return found([rows.row(try add(message))])
    }

    mutating func deleteMessages(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        var names: [String] = []
        for name in request.list("messageList") where try message(name)?.conversation == request.conversation {
            names.append(name)
        }
        for name in names { try remove(name) }
        return .changed(names.isEmpty ? [] : [request.conversation])
    }

    /// Deletes all messages of conversations. A sync does not restore them.
    mutating func clear(_ conversations: [LocalConversation]) throws(Failure) -> LocalAnswer {
        var changed: [ConversationID] = []
        for conversation in conversations {
            guard let last = try lastMessage(of: conversation) else { continue }
            var through = last.position
            // Delete every message with this time and sequence number, also those with a higher local number.
            through.parts[2] = .max
            try clear(conversation.id, through: through)
            changed.append(conversation.id)
        }
        return .changed(changed)
    }

    // MARK: Readers and reactions

    func receipts(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        var found: [Fields] = []
        for name in request.list("messageList") {
            guard let message = try message(name), message.conversation == request.conversation else {
                found.append([("errorMessageID", name)])
                continue
            }
            let others = try count(.member(of: message.conversation.id)).map { max(0, $0 - 1) } ?? 1
            let read = try readers(of: message).count { $0 != message.sender }
            found.append(rows.receipt(message, readCount: read, others: others))
        }
        return self.found(found)
    }

    func reactionUsers(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        guard let message = try message(request.text("message")) else { return missing }
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let following = message.reactions.filter { $0.type == request.text("reactionType") && $0.serial > flag }
        return try page(of: following, request, place: { String($0.serial) }) {
            [("userID", $0.user), ("reactionType", $0.type)]
        }
    }

    func readers(_ request: LocalRequest, haveRead: Bool) throws(Failure) -> LocalAnswer {
        guard let message = try message(request.text("message")), message.conversation.id == request.text("groupID"),
            message.conversation.kind == .group
        else { return missing }
        let readers = try readers(of: message)
        return try memberPage(request) { $0.user != message.sender && readers.contains($0.user) == haveRead }
    }

    // MARK: Files

    /// The sizes of downloaded files: the total, then one row for each conversation and kind of message, with the
    /// conversations in the order in which they were created.
    func cache(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let files = try cachedFiles(upTo: request.number("endTime"))
        let total = files.reduce(0) { $0 &+ $1.size }
        return found(
            [[("totalFileSize", String(total))]] + files.map { rows.row(cacheOf: $0.0, $0.1, size: $0.size) })
    }
}
