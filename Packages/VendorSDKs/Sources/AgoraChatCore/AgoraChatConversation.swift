import Foundation
import IMClient
import IMLocalData
import IMProtocol

/// A conversation of the user on the device. Its properties read the current data.
///
/// Used on the job thread of virtual time alone.
public final class AgoraChatConversation: NSObject, @unchecked Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public let conversationId: String!
    public let type: AgoraChatConversationType
    /// A value of the app's own; it ends with the object.
    public var ext: [AnyHashable: Any]?
    private let id: String
    private let core: ChatCore

    init(_ id: String, _ type: AgoraChatConversationType, of core: ChatCore) {
        self.id = id
        conversationId = id
        self.type = type
        self.core = core
    }

    public var unreadMessagesCount: Int32 { row(by: .app)?["unreadMessageCount"].flatMap { Int32($0) } ?? 0 }

    public var messagesCount: Int32 { Int32(clamping: history(by: .app).count) }

    public var isPinned: Bool { row(by: .app)?["isPinned"] == "true" }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public var latestMessage: AgoraChatMessage! { history(pages: 1, by: .app).last }

    public func lastReceivedMessage() -> AgoraChatMessage? { history(by: .app).last { $0.direction == .receive } }

    /// Marks everything as read. The user's other devices are notified as soon as there is a network.
    public func markAllMessages(asRead pError: UnsafeMutablePointer<AgoraChatError?>?) {
        end(core.local(.clearConversationUnreadMessageCount, arguments), pError)
    }

    /// The message with an id. Nil if there is none.
    public func loadMessage(
        withId aMessageId: String, error pError: UnsafeMutablePointer<AgoraChatError?>?
    ) -> AgoraChatMessage? {
        pError?.pointee = nil
        return message(aMessageId, by: .app)
    }

    /// Messages before (up) or after (down) a message id; if it is nil or empty, the latest or the first ones.
    ///
    /// - Returns: the oldest first.
    public func loadMessagesStart(
        fromId aMessageId: String?, count aCount: Int32, searchDirection aDirection: AgoraChatMessageSearchDirection
    ) -> [AgoraChatMessage]? {
        guard core.isLoggedIn else { return nil }
        let count = max(1, Int(aCount))
        let all = history(by: .app)
        let place = aMessageId.flatMap { id in all.firstIndex { $0.messageId == id } }
        switch aDirection {
        case .up: return Array(all[..<(place ?? all.count)].suffix(count))
        case .down: return Array(all[(place.map { $0 + 1 } ?? 0)...].prefix(count))
        }
    }

    public func loadMessagesStart(
        fromId aMessageId: String?, count aCount: Int32, searchDirection aDirection: AgoraChatMessageSearchDirection,
        completion aCompletionBlock: (([AgoraChatMessage]?, AgoraChatError?) -> Void)? = nil
    ) {
        let found = loadMessagesStart(fromId: aMessageId, count: aCount, searchDirection: aDirection)
        core.later { [core] in
            aCompletionBlock?(found, found == nil ? core.error(.notLoggedIn, of: .call) : nil)
        }
    }

    /// Removes a message from this device.
    public func deleteMessage(withId aMessageId: String, error pError: UnsafeMutablePointer<AgoraChatError?>?) {
        end(core.local(.deleteMessages, arguments + [("messageList", aMessageId)]), pError)
    }

    /// Removes all messages from this device.
    public func deleteAllMessages(_ pError: UnsafeMutablePointer<AgoraChatError?>?) {
        end(core.local(.deleteAllMessage, arguments), pError)
    }

    // MARK: Local data

    /// Its arguments in calls on local data.
    var arguments: [(String, String)] {
        [("conversationID", id), ("conversationType", type == .groupChat ? "group" : "peer")]
    }

    func isListed(by queryOrigin: ChatCore.QueryOrigin) -> Bool { row(by: queryOrigin) != nil }

    private func row(by queryOrigin: ChatCore.QueryOrigin) -> [String: String]? {
        guard type != .chatRoom else { return nil }
        let outcome = core.local(.queryConversation, arguments, by: queryOrigin)
        return outcome.status == .ok ? outcome.fields.first : nil
    }

    private func end(_ outcome: Completion, _ pError: UnsafeMutablePointer<AgoraChatError?>?) {
        pError?.pointee = core.error(outcome.status, of: .call)
    }

    func message(_ id: String, by queryOrigin: ChatCore.QueryOrigin) -> AgoraChatMessage? {
        history(by: queryOrigin).first { $0.messageId == id }
    }

    /// The user's sent messages that others have read.
    func readByOthers() -> [AgoraChatMessage] {
        history(pages: 1, by: .sdk).filter { message in
            guard message.direction == .send else { return false }
            let receipt = core.local(
                .queryMessageReceiptsInfo, arguments + [("messageList", message.messageId)], by: .sdk)
            return receipt.fields.first.flatMap { $0["readMemberCount"] }.flatMap { Int($0) } ?? 0 > 0
        }
    }

    /// The oldest first. A chat room has no stored messages.
    ///
    /// - Parameter pages: the number of pages of a hundred, the latest first; nil for all.
    private func history(pages: Int? = nil, by queryOrigin: ChatCore.QueryOrigin) -> [AgoraChatMessage] {
        guard type != .chatRoom else { return [] }
        return core.pages(.queryHistoryMessage, arguments, from: "nextMessage", max: pages, by: queryOrigin).map {
            row in
            let isOwn = row["direction"] == "send"
            let sender = row["senderUserID"] ?? ""
            let message = AgoraChatMessage(
                id: row["messageID"] ?? "", of: id, from: sender,
                to: isOwn || type == .groupChat ? id : core.user ?? "",
                text: row["message"] ?? "", isOwn: isOwn, at: row["timestamp"].flatMap { Int64($0) } ?? 0)
            message.chatType = type == .groupChat ? .groupChat : .chat
            return message
        }
        .reversed()
    }
}

extension ChatCore {
    /// The conversations on the device, pinned ones first, then the latest. Nil while nobody is logged in.
    func conversations(withEmpty: Bool = false, by queryOrigin: QueryOrigin = .app) -> [AgoraChatConversation]? {
        guard isLoggedIn else { return nil }
        let hasEmpty = withEmpty || options?.loadEmptyConversations == true
        return pages(.queryConversationList, [], from: "nextConversation", max: nil, by: queryOrigin).compactMap {
            row in
            guard let id = row["conversationID"], hasEmpty || row["lastMessageID"]?.isEmpty == false else { return nil }
            return AgoraChatConversation(id, row["conversationType"] == "group" ? .groupChat : .chat, of: self)
        }
    }

    /// The rows of a call that answers in pages.
    func pages(
        _ call: LocalCall, _ arguments: [(String, String)], from position: String, max: Int?,
        by queryOrigin: QueryOrigin
    ) -> [[String: String]] {
        var rows: [[String: String]] = []
        var next = ""
        var count = 0
        repeat {
            let answer = local(
                call, arguments + [(position, next), ("count", String(LocalCall.pageMax))], by: queryOrigin)
            var fields = answer.fields
            next = ""
            if let last = fields.last, let place = last["next"], last.count == 1 {
                next = place
                fields.removeLast()
            }
            rows += fields
            count += 1
        } while !next.isEmpty && count < max ?? .max
        return rows
    }
}
