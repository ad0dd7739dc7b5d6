import IMProtocol
import SansIO

// Outgoing and incoming messages. This file checks whether a message may be sent, and `ClientMessages` sends it. A
// message that arrives twice is delivered to the app once (C-14).

extension ClientMachine {
    /// Makes the id of a message, an operation or a change. No other process makes the same id (C-14).
    mutating func makeID() -> String {
        idsMade &+= 1
        return OwnID(process: process, number: idsMade).text
    }

    mutating func send(
        to target: String, text: String, isToChannel: Bool, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(isToChannel ? .channels : .messages) else {
            return effects.complete(command, .unsupported)
        }
        guard let login else { return effects.complete(command, .notLoggedIn) }
        guard ProtocolLimit.isName(target) else { return effects.complete(command, .invalidArgument) }
        guard text.utf8.count <= ProtocolLimit.textBytesMax else { return effects.complete(command, .textTooLong) }
        if isToChannel && !subscriptions.channels.contains(target) {
            return effects.complete(command, .notFound)
        }
        // Without a connection the message fails or waits. A message that fails does not count (RTM-9).
        if openLink != nil || waitsForLink, calls.isTooOften(.messages, common, at: now) {
            return effects.complete(command, .rateLimited)
        }
        let message = ChatMessage(id: makeID(), from: login.user, to: target, text: text, isToChannel: isToChannel)
        messages.send(
            message, command: command, over: openLink?.id, waits: waitsForLink, &common, at: now, into: &effects)
    }

    mutating func resend(command: CommandID, at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.resend) else { return effects.complete(command, .unsupported) }
        guard login != nil else { return effects.complete(command, .notLoggedIn) }
        messages.resend(
            command: command, over: openLink?.id, waits: waitsForLink, &common, at: now, into: &effects)
    }

    /// True if a message waits for a connection instead of failing. Messages wait only during a reconnect. Before the
    /// login has succeeded, a call that requires the network fails at once (ZIM-3).
    private var waitsForLink: Bool {
        policy.features.contains(.messageQueue) && login?.isEstablished == true
    }

    mutating func messageAnswered(_ id: String, _ status: Status, into effects: inout [ClientEffect]) {
        guard let queued = messages.removeAnswered(id, status, &common) else { return }
        if (status == .ok || status == .stored) && !queued.message.isToChannel {
            storeItem(.message, id: id, text: queued.message.text, into: &effects)
        }
        effects.complete(queued.command, status)
    }

    mutating func messageArrived(
        _ message: ChatMessage, on connection: ConnectionID, into effects: inout [ClientEffect]
    ) {
        if message.isToChannel {
            // Messages of a channel that the user has not joined are ignored (C-15). Channel messages are not
            // acknowledged, because the server does not store them in the device's inbox.
            guard subscriptions.channels.contains(message.to), subscriptions.isFirstDelivery(message, policy) else {
                return
            }
        } else {
            // The client records the number before it acknowledges the message, because the server then deletes the
            // message from the device's inbox.
            let isFirstDelivery = isFirstDelivery(message.number, into: &effects)
            effects.append(.send(connection, Frame(.messageAck(id: message.id, number: message.number))))
            guard isFirstDelivery else { return }
            // The stored id contains the sender, because two senders may choose the same message id.
            storeItem(.message, id: "\(message.from)/\(message.id)", text: message.text, into: &effects)
        }
        var delivered = message
        delivered.number = 0
        effects.append(.notify(.messageReceived(delivered)))
    }
}
