import IMProtocol

// Calls about messages. Their changes are local only: the server still has the messages, and no sync restores messages
// that were deleted here (ZIM-9, rule 3).

extension UserDatabase {
    func history(_ request: LocalRequest) -> LocalAnswer {
        page(messages[request.conversation] ?? [], request, oldestFirst: request.flag("reverse"))
    }

    /// A page of messages in order of their positions, from the end of the page before.
    private func page(_ list: [LocalMessage], _ request: LocalRequest, oldestFirst: Bool) -> LocalAnswer {
        let after = Position(request.text("nextMessage"))
        let following = list.filter { message in
            guard let after else { return true }
            return oldestFirst ? after < message.position : message.position < after
        }
        return page(of: oldestFirst ? following : following.reversed(), request, place: { $0.position.text }, row)
    }

    func searchMessages(_ request: LocalRequest, in conversations: [ConversationID]) -> LocalAnswer {
        let found = conversations.flatMap { messages[$0] ?? [] }.filter(MessageFilter(request).matches)
        return page(
            found.sorted { $0.position < $1.position }, request, oldestFirst: request.choice("order") == 1)
    }

    mutating func noteExtendedData(_ request: LocalRequest) -> LocalAnswer {
        let noted = changeMessage(request.text("message")) {
            $0.localExtendedData = request.text("localExtendedData")
        }
        return noted.map { found([row($0)]) } ?? missing
    }

    mutating func insertMessage(_ request: LocalRequest) -> LocalAnswer {
        let id = request.conversation
        var message = LocalMessage(
            id: "", conversation: id, sender: request.text("senderUserID"), text: request.text("message"),
            timestamp: request.deviceMilliseconds)
        message.isUserInserted = true
        let inserted = insert(message)
        var conversation = conversation(id)
        conversation.moveUp(at: message.timestamp)
        conversations[id] = conversation
        return found([row(inserted)])
    }

    mutating func deleteMessages(_ request: LocalRequest) -> LocalAnswer {
        let names = request.list("messageList").filter { message($0)?.conversation == request.conversation }
        remove(names)
        return changed(names.isEmpty ? [] : [request.conversation])
    }

    /// Deletes messages one by one; no sync restores them, including those that have not arrived here yet.
    mutating func remove(_ names: [String]) {
        for name in names {
            guard let message = message(name) else {
                removed.append(name)
                continue
            }
            if !message.id.isEmpty { removed.append(message.name) }
            messages[message.conversation]?.removeAll { $0.localID == message.localID }
            if message.isUnread { conversations[message.conversation]?.unreadCount -= 1 }
            removePositions(of: [message])
        }
    }

    /// Deletes all messages of conversations; no sync restores messages from that time.
    mutating func clear(_ ids: [ConversationID]) -> LocalAnswer {
        let full = ids.filter { messages[$0]?.isEmpty == false }
        for id in full {
            guard let last = messages[id]?.last else { continue }
            var through = last.position
            // After every message of that time and sequence, whatever its database number.
            through.parts[2] = .max
            clear(id, through: through)
        }
        return changed(full)
    }

    /// Deletes the messages of a conversation up to a position; no sync restores messages from that time, even if they
    /// are the first of the conversation.
    mutating func clear(_ id: ConversationID, through place: Position) {
        let isNew = conversations[id] == nil
        var conversation = conversation(id)
        if isNew { conversation.isKept = false }
        let list = messages[id] ?? []
        let gone = list.prefix(list.place(of: place))
        conversation.clearedThrough = max(conversation.clearedThrough ?? place, place)
        conversation.unreadCount -= gone.count { $0.isUnread }
        conversations[id] = conversation
        messages[id] = Array(list.dropFirst(gone.count))
        removePositions(of: Array(gone))
    }

    private mutating func removePositions(of list: [LocalMessage]) {
        for message in list { removePosition(of: message) }
    }

    // MARK: Readers and reactions

    func receipts(_ request: LocalRequest) -> LocalAnswer {
        found(
            request.list("messageList").map { name in
                guard let message = message(name), message.conversation == request.conversation else {
                    return [("errorMessageID", name)]
                }
                let others = members[message.conversation.id].map { max(0, $0.count - 1) } ?? 1
                let read = message.readers.count { $0 != message.sender }
                return answerRows.receipt(message, readCount: read, others: others)
            })
    }

    func reactionUsers(_ request: LocalRequest) -> LocalAnswer {
        guard let message = message(request.text("message")) else { return missing }
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let following = message.reactions.filter { $0.type == request.text("reactionType") && $0.serial > flag }
        return page(of: following, request, place: { String($0.serial) }) {
            [("userID", $0.user), ("reactionType", $0.type)]
        }
    }

    func readers(_ request: LocalRequest, haveRead: Bool) -> LocalAnswer {
        guard let message = message(request.text("message")), message.conversation.id == request.text("groupID"),
            message.conversation.kind == .group
        else { return missing }
        return memberPage(request) { member in
            member.user != message.sender && message.readers.contains(member.user) == haveRead
        }
    }

    func combineDetail(_ request: LocalRequest) -> LocalAnswer {
        guard let message = message(request.text("message")), message.kind == .combine else { return missing }
        return found(message.parts.map(row))
    }

    // MARK: Files

    /// By conversation, in the order in which these began, and by kind.
    func cache(_ request: LocalRequest) -> LocalAnswer {
        var rows: [Fields] = []
        var total: Int64 = 0
        for conversation in conversations.values.sorted(by: { $0.serial < $1.serial }) {
            let cached = (messages[conversation.id] ?? []).filter {
                $0.file?.isCached(upTo: request.number("endTime")) == true
            }
            for kind in LocalMessage.Kind.allCases {
                let sizes = cached.filter { $0.kind == kind }.map { $0.file?.size ?? 0 }
                guard !sizes.isEmpty else { continue }
                let size = sizes.reduce(0, &+)
                total &+= size
                rows.append(answerRows.row(cacheOf: conversation.id, kind, size: size))
            }
        }
        return found([[("totalFileSize", String(total))]] + rows)
    }

    mutating func clearCache(_ request: LocalRequest) -> LocalAnswer {
        for id in Array(messages.keys) {
            for place in (messages[id] ?? []).indices {
                guard messages[id]?[place].file?.isCached(upTo: request.number("endTime")) == true else { continue }
                messages[id]?[place].file?.downloadedAt = nil
            }
        }
        return done
    }
}

extension LocalMessage.File {
    /// - Parameter time: milliseconds since 1970; 0 for any.
    fileprivate func isCached(upTo time: Int64) -> Bool {
        downloadedAt.map { time == 0 || $0 <= time } ?? false
    }
}
