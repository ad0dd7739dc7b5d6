import IMProtocol
import SansIO

/// A message that waits for the server's answer.
struct QueuedMessage: Hashable, Sendable, Codable {
    var number: UInt64
    var command: CommandID
    var message: ChatMessage
}

/// Outgoing messages. A message keeps its id however often it is sent, so that it is stored once (C-14).
struct ClientMessages: Hashable, Sendable {
    /// Messages that the server has not confirmed, oldest first.
    var outbox: [QueuedMessage] = []
    /// Messages that failed and may be sent again, oldest first (ZIM-10).
    var failed: [ChatMessage] = []
    /// Number of times that a message was sent, resends included.
    var sendCount: UInt64 = 0

    /// Sends a message, or queues it until there is a connection if the system does so.
    ///
    /// - Parameter waits: true if the message may wait for a connection.
    /// - Returns: true if it was accepted.
    @discardableResult
    mutating func send(
        _ message: ChatMessage, command: CommandID, over connection: ConnectionID?, waits: Bool,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        sendCount &+= 1
        guard connection != nil || waits else {
            effects.complete(command, .networkUnavailable)
            return false
        }
        guard outbox.count < common.policy.outboxCountMax else {
            effects.complete(command, .limitExceeded)
            return false
        }
        outbox.append(QueuedMessage(number: sendCount, command: command, message: message))
        common.timers.set(.message(sendCount), at: now + common.policy.messageTimeLimit)
        if let connection { effects.append(.send(connection, Frame(.send(message)))) }
        return true
    }

    /// Sends the oldest failed message again, under its old id (ZIM-10).
    mutating func resend(
        command: CommandID, over connection: ConnectionID?, waits: Bool, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let message = failed.first else { return effects.complete(command, .notFound) }
        let isAccepted = send(
            message, command: command, over: connection, waits: waits, &common, at: now, into: &effects)
        if isAccepted { failed.removeFirst() }
    }

    /// Sends the queue. A message whose acknowledgement got lost is sent again under the same id (C-14).
    func flush(over connection: ConnectionID, into effects: inout [ClientEffect]) {
        for queued in outbox { effects.append(.send(connection, Frame(.send(queued.message)))) }
    }

    /// Removes a message that the server has answered; an answer for a message that no longer waits is ignored.
    ///
    /// - Returns: the message, whose command must be completed.
    mutating func take(_ id: String, _ status: Status, _ common: inout ClientCommon) -> QueuedMessage? {
        guard let index = outbox.firstIndex(where: { $0.message.id == id }) else { return nil }
        let queued = outbox.remove(at: index)
        common.timers.cancel(.message(queued.number))
        // There was no room for it; there may be later (ZIM-10).
        if status == .limitExceeded { addFailed(queued.message, common.policy) }
        return queued
    }

    mutating func timedOut(_ number: UInt64, _ policy: ClientPolicy, into effects: inout [ClientEffect]) {
        guard let index = outbox.firstIndex(where: { $0.number == number }) else { return }
        let queued = outbox.remove(at: index)
        addFailed(queued.message, policy)
        effects.complete(queued.command, .timeout)
    }

    mutating func fail(_ status: Status, _ common: inout ClientCommon, into effects: inout [ClientEffect]) {
        let lost = outbox
        outbox.removeAll()
        for queued in lost {
            common.timers.cancel(.message(queued.number))
            addFailed(queued.message, common.policy)
            effects.complete(queued.command, status)
        }
    }

    private mutating func addFailed(_ message: ChatMessage, _ policy: ClientPolicy) {
        guard policy.features.contains(.resend) else { return }
        failed.append(message)
        if failed.count > policy.outboxCountMax { failed.removeFirst() }
    }
}
