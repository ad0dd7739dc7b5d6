import Foundation
import IMProtocol

// The user's settings of a conversation, on all of the user's devices. They need the network.

extension ZIM {
    /// Sets whether a conversation's messages notify the user and count in the total of unread messages.
    public func setConversationNotificationStatus(
        _ status: ZIMConversationNotificationStatus, conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationNotificationStatusSetCallback
    ) {
        set("setConversationNotificationStatus", ("isMuted", status == .doNotDisturb), conversationID, conversationType)
        {
            callback(conversationID, conversationType, $0)
        }
    }

    /// Pins or unpins a conversation.
    public func updateConversationPinnedState(
        _ isPinned: Bool, conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationPinnedStateUpdatedCallback
    ) {
        set("updateConversationPinnedState", ("isPinned", isPinned), conversationID, conversationType) {
            callback(conversationID, conversationType, $0)
        }
    }

    private func set(
        _ what: String, _ flag: (name: String, isOn: Bool), _ id: String, _ type: ZIMConversationType,
        _ callback: @escaping (ZIMError) -> Void
    ) {
        // The server does not check the type: an unknown one would count as a conversation with a user.
        guard let word = type.word else { return later { callback($0.error(.invalidArgument, of: .change)) } }
        let fields = [("conversationID", id), ("conversationType", word), (flag.name, String(flag.isOn))]
        change(what, .conversation, fields, callback)
    }
}
