import Foundation
import IMClient
import IMProtocol
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The chat manager over the machine.
final class ChatManager: NIMChatManager, @unchecked Sendable {
    private unowned let client: SDKClient
    private let delegates = DelegateList<any NIMChatManagerDelegate>()
    private var lastNumber = 0

    init(_ client: SDKClient) {
        self.client = client
        client.observe { [weak self] in self?.handleNotice($0) }
    }

    func send(_ message: NIMMessage, to session: NIMSession) throws {
        guard let text = message.text, !text.isEmpty else {
            throw NSError(domain: NIMLocalErrorDomain, code: NIMLocalErrorCode.invalidParam.rawValue)
        }
        guard client.user != nil else {
            throw NSError(domain: NIMLocalErrorDomain, code: NIMLocalErrorCode.userInfoNeeded.rawValue)
        }
        lastNumber += 1
        message.messageId = "message-\(lastNumber)"
        message.session = session
        message.from = client.user
        message.timestamp = Date().timeIntervalSince1970
        delegates.notify { $0.willSend(message) }
        let dialect = client.simulation.dialect
        let toChannel = session.sessionType != .P2P
        client.perform(.send(to: session.sessionId, text: text, isToChannel: toChannel)) { [weak self] outcome in
            let error = nimError(outcome.status, of: toChannel ? .channelSend : .send, dialect)
            message.deliveryState = error == nil ? .deliveried : .failed
            self?.delegates.notify { $0.send(message, didCompleteWithError: error) }
        }
    }

    func add(_ delegate: any NIMChatManagerDelegate) { delegates.add(delegate) }

    func remove(_ delegate: any NIMChatManagerDelegate) { delegates.remove(delegate) }

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        guard case .notified(.messageReceived(let received)) = appNotice else { return }
        let message = NIMMessage()
        message.text = received.text
        message.messageId = received.id
        message.from = received.from
        message.session = NIMSession(
            received.isToChannel ? received.to : received.from, type: received.isToChannel ? .team : .P2P)
        message.timestamp = Date().timeIntervalSince1970
        message.deliveryState = .deliveried
        message.isReceivedMsg = true
        delegates.notify { $0.onRecvMessages([message]) }
    }
}
