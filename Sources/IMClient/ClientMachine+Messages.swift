import IMProtocol
import SansIO

// Messages out and in. One that goes out keeps its id however often it is sent, so that it is stored once (C-14); one
// that comes in twice is told once.

/// A message on its way.
struct QueuedMessage: Hashable, Sendable, Codable {
    var number: UInt64
    var command: CommandID
    var message: ChatMessage
}

extension ClientMachine {
    /// An id that nothing has had and nothing will have (C-14).
    mutating func makeID() -> String {
        idsMade &+= 1
        return OwnID(process: process, number: idsMade).text
    }

    mutating func send(
        to target: String, text: String, isToChannel: Bool, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(isToChannel ? .channels : .messages) else {
            return complete(command, .unsupported, into: &effects)
        }
        guard let login else { return complete(command, .notLoggedIn, into: &effects) }
        guard ProtocolLimit.isName(target) else { return complete(command, .invalidArgument, into: &effects) }
        guard text.utf8.count <= ProtocolLimit.textBytesMax else {
            return complete(command, .textTooLong, into: &effects)
        }
        if isToChannel && !channels.contains(target) { return complete(command, .notFound, into: &effects) }
        guard !calls.isTooOften(.messages, common, at: now) else {
            return complete(command, .rateLimited, into: &effects)
        }
        messagesMade &+= 1
        let message = ChatMessage(id: makeID(), from: login.user, to: target, text: text, isToChannel: isToChannel)
        enqueue(message, command: command, at: now, into: &effects)
    }

    mutating func resend(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.resend) else { return complete(command, .unsupported, into: &effects) }
        guard login != nil else { return complete(command, .notLoggedIn, into: &effects) }
        guard let message = failed.first else { return complete(command, .notFound, into: &effects) }
        messagesMade &+= 1
        if enqueue(message, command: command, at: now, into: &effects) { failed.removeFirst() }
    }

    /// Sends a message, or lets it wait for the link where the system does so.
    ///
    /// - Returns: whether it was taken in.
    @discardableResult
    private mutating func enqueue(
        _ message: ChatMessage, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        let openLink = openLink
        // Only a link that was there once is waited for: before, a call that needs the network fails (ZIM-3).
        let waits = policy.features.contains(.messageQueue) && login?.isEstablished == true
        guard openLink != nil || waits else {
            complete(command, .networkUnavailable, into: &effects)
            return false
        }
        guard outbox.count < policy.outboxCountMax else {
            complete(command, .limitExceeded, into: &effects)
            return false
        }
        outbox.append(QueuedMessage(number: messagesMade, command: command, message: message))
        timers.set(.message(messagesMade), at: now + policy.messageTimeLimit)
        if let openLink { effects.append(.send(openLink.id, Frame(.send(message)))) }
        return true
    }

    /// Sends what waited. A message whose acknowledgement was lost goes out again under the same id (C-14).
    func flushOutbox(on connection: ConnectionID, into effects: inout [ClientEffect]) {
        for queued in outbox { effects.append(.send(connection, Frame(.send(queued.message)))) }
    }

    mutating func messageAnswered(_ id: String, _ status: Status, into effects: inout [ClientEffect]) {
        guard let index = outbox.firstIndex(where: { $0.message.id == id }) else { return }
        let queued = outbox.remove(at: index)
        timers.cancel(.message(queued.number))
        if (status == .ok || status == .stored) && !queued.message.isToChannel {
            keep(.message, id: id, text: queued.message.text, into: &effects)
        }
        // There was no room for it; later there may be (ZIM-10).
        if status == .limitExceeded { noteFailed(queued.message) }
        effects.append(.complete(queued.command, Completion(status)))
    }

    mutating func messageTimedOut(_ number: UInt64, into effects: inout [ClientEffect]) {
        guard let index = outbox.firstIndex(where: { $0.number == number }) else { return }
        let queued = outbox.remove(at: index)
        noteFailed(queued.message)
        effects.append(.complete(queued.command, Completion(.timeout)))
    }

    mutating func failMessages(_ status: Status, into effects: inout [ClientEffect]) {
        let lost = outbox
        outbox.removeAll()
        for queued in lost {
            timers.cancel(.message(queued.number))
            noteFailed(queued.message)
            effects.append(.complete(queued.command, Completion(status)))
        }
    }

    private mutating func noteFailed(_ message: ChatMessage) {
        guard policy.features.contains(.resend) else { return }
        failed.append(message)
        if failed.count > policy.outboxCountMax { failed.removeFirst() }
    }

    mutating func messageArrived(
        _ message: ChatMessage, on connection: ConnectionID, into effects: inout [ClientEffect]
    ) {
        if message.isToChannel {
            // Of a channel that one is not in, or not any more, nothing is told (C-15). Nobody waits for a confirmation:
            // the numbers of a channel are none of what waits for the device.
            guard channels.contains(message.to), isNews(inChannel: message) else { return }
        } else {
            // Before the server is told that it need not keep it any longer.
            let isNews = isNews(message.number, into: &effects)
            effects.append(.send(connection, Frame(.messageAck(id: message.id, number: message.number))))
            guard isNews else { return }
            // With its sender: an id is whatever somebody says it is.
            keep(.message, id: "\(message.from)/\(message.id)", text: message.text, into: &effects)
        }
        var told = message
        told.number = 0
        effects.append(.notify(.messageReceived(told)))
    }
}
