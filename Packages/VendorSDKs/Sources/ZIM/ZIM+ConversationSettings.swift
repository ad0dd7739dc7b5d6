import Foundation
import IMProtocol

// What a user sets of a conversation, on all of the user's devices. It needs the network.

extension ZIM {
    /// Whether the user is told of a conversation's messages, and whether they count as unread in all.
    public func setConversationNotificationStatus(
        _ status: ZIMConversationNotificationStatus, conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationNotificationStatusSetCallback
    ) {
        set("setConversationNotificationStatus", ("isMuted", status == .doNotDisturb), conversationID, conversationType)
        {
            callback(conversationID, conversationType, $0)
        }
    }

    /// Whether a conversation stands before those that are not pinned.
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
        // The server does not look at the type; a conversation that there is not would be one with a user.
        guard let word = type.word else { return later { callback($0.error(.invalidArgument, of: .change)) } }
        let fields = [("conversationID", id), ("conversationType", word), (flag.name, String(flag.isOn))]
        change(what, .conversation, fields, callback)
    }
}
