import IMProtocol
import SansIO

/// A message that waits for the server's answer.
struct QueuedMessage: Hashable, Sendable, Codable {
    /// The value of ``ClientMessages/sendCount`` when the message was sent, which also names its timer.
    var number: UInt64
    var command: CommandID
    var message: ChatMessage
}

/// Outgoing messages. A message that is sent again has the same id, so that the server stores it once (C-14).
struct ClientMessages: Hashable, Sendable {
    /// The messages that the server has not acknowledged, oldest first.
    var outbox: [QueuedMessage] = []
    /// The messages that failed and can be sent again, oldest first (ZIM-10).
    var failed: [ChatMessage] = []
    /// The number of times that the app has sent or resent a message.
    var sendCount: UInt64 = 0

    /// Adds a message to the outbox, and sends it if there is a connection.
    ///
    /// - Parameter waits: true if the message waits for a connection. If false, it fails without one.
    /// - Returns: true if the message was added.
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

    /// Sends all messages of the outbox over a new connection. A message whose acknowledgement was lost is sent again
    /// under the same id (C-14).
    func flush(over connection: ConnectionID, into effects: inout [ClientEffect]) {
        for queued in outbox { effects.append(.send(connection, Frame(.send(queued.message)))) }
    }

    /// Removes a message from the outbox, because the server has answered it.
    ///
    /// - Returns: the message, whose command the caller must complete; nil if the message is not in the outbox.
    mutating func removeAnswered(_ id: String, _ status: Status, _ common: inout ClientCommon) -> QueuedMessage? {
        guard let index = outbox.firstIndex(where: { $0.message.id == id }) else { return nil }
        let queued = outbox.remove(at: index)
        common.timers.cancel(.message(queued.number))
        // The server had no room for the message. The app can send the message again later (ZIM-10).
        if status == .limitExceeded { addFailed(queued.message, common.policy) }
        return queued
    }

    /// Fails the message whose time limit has passed.
    mutating func timedOut(_ number: UInt64, _ policy: ClientPolicy, into effects: inout [ClientEffect]) {
        guard let index = outbox.firstIndex(where: { $0.number == number }) else { return }
        let queued = outbox.remove(at: index)
        addFailed(queued.message, policy)
        effects.complete(queued.command, .timeout)
    }

    /// Fails all messages of the outbox.
    mutating func fail(_ status: Status, _ common: inout ClientCommon, into effects: inout [ClientEffect]) {
        let lost = outbox
        outbox.removeAll()
        for queued in lost {
            common.timers.cancel(.message(queued.number))
            addFailed(queued.message, common.policy)
            effects.complete(queued.command, status)
        }
    }

    /// Stores a failed message, if the app can send failed messages again. Beyond the maximum, the oldest is dropped.
    private mutating func addFailed(_ message: ChatMessage, _ policy: ClientPolicy) {
        guard policy.features.contains(.resend) else { return }
        failed.append(message)
        if failed.count > policy.outboxCountMax { failed.removeFirst() }
    }
}
