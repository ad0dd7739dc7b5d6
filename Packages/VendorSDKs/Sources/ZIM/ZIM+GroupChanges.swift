import Foundation
import IMProtocol

// Users' changes of groups. All of it needs the network. A change that the user is not allowed to make is refused with
// the code of a failed login.

extension ZIM {
    /// Makes a group that the user owns, and adds users to it.
    public func createGroup(
        with groupInfo: ZIMGroupInfo, userIDs: [String], callback: @escaping ZIMGroupCreatedCallback
    ) {
        createGroup(with: groupInfo, userIDs: userIDs, config: ZIMGroupAdvancedConfig(), callback: callback)
    }

    /// Like `createGroup(with:userIDs:callback:)`, with notice and attributes.
    public func createGroup(
        with groupInfo: ZIMGroupInfo, userIDs: [String], config: ZIMGroupAdvancedConfig,
        callback: @escaping ZIMGroupCreatedCallback
    ) {
        // The vendor gives a group without an id of the app's an id with a #.
        let id =
            groupInfo.groupID.isEmpty ? "#\(Int(Date().timeIntervalSince1970 * 1000))" : groupInfo.groupID
        let fields =
            [
                ("groupID", id), ("groupName", groupInfo.groupName), ("groupAvatarUrl", groupInfo.groupAvatarUrl),
                ("groupNotice", config.groupNotice),
            ].filter { !$0.1.isEmpty } + Self.fields(of: config.groupAttributes ?? [:])
        // The machine would change an existing group to match the request.
        guard look(.queryGroupInfo, [("groupID", id)]).status != .ok else {
            let error = ZIMError(.groupModuleGroupAlreadyExists, "there is a group '\(id)' already")
            return later { _ in callback(ZIMGroupFullInfo(), [], [], error) }
        }
        change("createGroup", .group, fields) { error in
            guard error.code == .success, !userIDs.isEmpty else { return callback(self.group(id), [], [], error) }
            self.inviteUsersIntoGroup(with: userIDs, groupID: id) { _, members, errors, _ in
                callback(self.group(id), members, errors, error)
            }
        }
    }

    private static func fields(of attributes: [String: String]) -> [(String, String)] {
        attributes.sorted { $0.key < $1.key }.map { ("attribute.\($0.key)", $0.value) }
    }

    private func group(_ id: String) -> ZIMGroupFullInfo {
        look(.queryGroupInfo, [("groupID", id)]).rows.first?.fullGroupInfo ?? ZIMGroupFullInfo()
    }

    /// Dismisses a group that the user owns.
    public func dismissGroup(by groupID: String, callback: @escaping ZIMGroupDismissedCallback) {
        change("dismissGroup", .groupRemoved, [("groupID", groupID)]) { callback(groupID, $0) }
    }

    /// Joins a group that somebody else has made.
    public func joinGroup(by groupID: String, callback: @escaping ZIMGroupJoinedCallback) {
        change("joinGroup", .member, [("groupID", groupID)]) { callback(self.group(groupID), $0) }
    }

    /// Leaves a group.
    public func leaveGroup(by groupID: String, callback: @escaping ZIMGroupLeftCallback) {
        change("leaveGroup", .memberRemoved, [("groupID", groupID)]) { callback(groupID, $0) }
    }

    /// Adds users to a group that the user is in.
    public func inviteUsersIntoGroup(
        with userIDs: [String], groupID: String, callback: @escaping ZIMGroupUsersInvitedCallback
    ) {
        changeEach("inviteUsersIntoGroup", .member, userIDs, [("groupID", groupID)]) { errors, error in
            let failed = errors.map(\.userID)
            let members = userIDs.filter { !failed.contains($0) }.compactMap { user in
                self.look(.queryGroupMemberInfo, [("userID", user), ("groupID", groupID)]).rows.first?.member
            }
            callback(groupID, members, errors, error)
        }
    }

    /// Removes users from a group that the user owns.
    public func kickGroupMembers(
        by userIDs: [String], groupID: String, callback: @escaping ZIMGroupMemberKickedCallback
    ) {
        changeEach("kickGroupMembers", .memberRemoved, userIDs, [("groupID", groupID)]) { errors, error in
            let failed = errors.map(\.userID)
            callback(groupID, userIDs.filter { !failed.contains($0) }, errors, error)
        }
    }

    // MARK: Data that all members see

    public func updateGroupName(
        _ groupName: String, groupID: String, callback: @escaping ZIMGroupNameUpdatedCallback
    ) {
        change("updateGroupName", .group, [("groupID", groupID), ("groupName", groupName)]) {
            callback(groupID, groupName, $0)
        }
    }

    public func updateGroupNotice(
        _ groupNotice: String, groupID: String, callback: @escaping ZIMGroupNoticeUpdatedCallback
    ) {
        change("updateGroupNotice", .group, [("groupID", groupID), ("groupNotice", groupNotice)]) {
            callback(groupID, groupNotice, $0)
        }
    }

    /// Sets some attributes; the others stay.
    public func setGroupAttributes(
        _ groupAttributes: [String: String], groupID: String, callback: @escaping ZIMGroupAttributesOperatedCallback
    ) {
        change("setGroupAttributes", .group, [("groupID", groupID)] + Self.fields(of: groupAttributes)) { error in
            let failed = error.code == .success ? [] : groupAttributes.keys.sorted()
            callback(groupID, failed, error)
        }
    }
}
