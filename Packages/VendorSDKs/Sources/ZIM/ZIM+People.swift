import Foundation
import IMClient
import IMProtocol

// Users' changes: their own data, friends, the block list, and status subscriptions. All of it needs the network.
// Several users take one call after the other, and those after a failed one are in its error list too.

extension ZIM {
    // MARK: The user's own data

    public func updateUserName(_ userName: String, callback: @escaping ZIMUserNameUpdatedCallback) {
        changeSelf("updateUserName", "userName", userName) { callback(userName, $0) }
    }

    public func updateUserAvatarUrl(_ userAvatarUrl: String, callback: @escaping ZIMUserAvatarUrlUpdatedCallback) {
        changeSelf("updateUserAvatarUrl", "userAvatarUrl", userAvatarUrl) { callback(userAvatarUrl, $0) }
    }

    public func updateUserExtendedData(
        _ extendedData: String, callback: @escaping ZIMUserExtendedDataUpdatedCallback
    ) {
        changeSelf("updateUserExtendedData", "userExtendedData", extendedData) { callback(extendedData, $0) }
    }

    /// The server replaces all of the data with what it receives.
    private func changeSelf(
        _ what: String, _ name: String, _ value: String, _ callback: @escaping (ZIMError) -> Void
    ) {
        let known = look(.querySelfUserInfo, []).rows.first
        let fields = ["userName", "userAvatarUrl", "userExtendedData"].map { field in
            (field, field == name ? value : known?[field] ?? "")
        }
        change(what, .user, fields.filter { !$0.1.isEmpty }, callback)
    }

    // MARK: Friends

    /// Makes a user a friend, without an application.
    public func addFriend(
        by userID: String, config: ZIMFriendAddConfig, callback: @escaping ZIMFriendAddedCallback
    ) {
        let fields =
            [("userID", userID), ("friendAlias", config.friendAlias), ("wording", config.wording)]
            + attributes(config.friendAttributes)
        change("addFriend", .friend, fields) { [weak self] error in
            callback(self?.friend(userID) ?? ZIMFriendInfo(), error)
        }
    }

    /// Ends friendships, on both sides.
    public func deleteFriends(
        by userIDs: [String], config: ZIMFriendDeleteConfig, callback: @escaping ZIMFriendsDeletedCallback
    ) {
        changeEach("deleteFriends", .friendRemoved, userIDs, [], callback)
    }

    /// Sends a friend application to a user.
    public func sendFriendApplication(
        by userID: String, config: ZIMFriendApplicationSendConfig,
        callback: @escaping ZIMFriendApplicationSentCallback
    ) {
        let fields = [("userID", userID), ("type", "sent"), ("wording", config.wording)]
        change("sendFriendApplication", .friendApplication, fields) { error in
            let info = ZIMFriendApplicationInfo()
            info.type = .sent
            info.applyUser.userID = userID
            info.wording = config.wording
            callback(info, error)
        }
    }

    public func acceptFriendApplication(
        by userID: String, config: ZIMFriendApplicationAcceptConfig,
        callback: @escaping ZIMFriendApplicationAcceptedCallback
    ) {
        let fields = [("userID", userID), ("type", "received"), ("state", "accepted")]
        change("acceptFriendApplication", .friendApplication, fields) { [weak self] error in
            callback(self?.friend(userID) ?? ZIMFriendInfo(), error)
        }
    }

    public func rejectFriendApplication(
        by userID: String, config: ZIMFriendApplicationRejectConfig,
        callback: @escaping ZIMFriendApplicationRejectedCallback
    ) {
        let fields = [("userID", userID), ("type", "received"), ("state", "rejected")]
        change("rejectFriendApplication", .friendApplication, fields) { error in
            let info = ZIMUserInfo()
            info.userID = userID
            callback(info, error)
        }
    }

    private func attributes(_ values: [String: String]) -> [(String, String)] {
        values.sorted { $0.key < $1.key }.map { ("attribute.\($0.key)", $0.value) }
    }

    // MARK: Block list

    public func addUsersToBlacklist(
        by userIDs: [String], callback: @escaping ZIMBlacklistUsersAddedCallback
    ) {
        changeEach("addUsersToBlacklist", .blacklist, userIDs, [("isOn", "true")], callback)
    }

    public func removeUsersFromBlacklist(
        by userIDs: [String], callback: @escaping ZIMBlacklistUsersRemovedCallback
    ) {
        changeEach("removeUsersFromBlacklist", .blacklist, userIDs, [], callback)
    }

    /// Makes one change for each of several users.
    func changeEach(
        _ what: String, _ kind: ChangeKind, _ users: [String], _ fields: [(String, String)],
        _ callback: @escaping ([ZIMErrorUserInfo], ZIMError) -> Void
    ) {
        forEach(users, { user, done in self.change(what, kind, [("userID", user)] + fields, done) }, callback)
    }

    /// One user after the other. The error is that of the last failure.
    private func forEach(
        _ users: [String], _ body: @escaping (String, @escaping (ZIMError) -> Void) -> Void,
        _ callback: @escaping ([ZIMErrorUserInfo], ZIMError) -> Void
    ) {
        var errors: [ZIMErrorUserInfo] = []
        var last = ZIMError()
        func next(_ rest: ArraySlice<String>) {
            guard let user = rest.first else {
                return callback(errors, errors.count == users.count ? last : ZIMError())
            }
            body(user) { error in
                if error.code != .success {
                    let info = ZIMErrorUserInfo()
                    info.userID = user
                    info.reason = UInt32(error.code.rawValue)
                    errors.append(info)
                    last = error
                }
                next(rest.dropFirst())
            }
        }
        guard !users.isEmpty else {
            return later { core in callback([], core.error(.invalidArgument, of: .change)) }
        }
        next(users[...])
    }

    // MARK: Status

    /// Subscribes to users' online status (ZIM-5), for as long as the login lasts.
    public func subscribeUsersStatus(
        by userIDs: [String], config: ZIMUserStatusSubscribeConfig,
        callback: @escaping ZIMUsersStatusSubscribedCallback
    ) {
        watch("subscribeUsersStatus", userIDs, isOn: true, callback)
    }

    public func unsubscribeUsersStatus(
        by userIDs: [String], callback: @escaping ZIMUsersStatusUnsubscribedCallback
    ) {
        watch("unsubscribeUsersStatus", userIDs, isOn: false, callback)
    }

    private func watch(
        _ what: String, _ users: [String], isOn: Bool, _ callback: @escaping ([ZIMErrorUserInfo], ZIMError) -> Void
    ) {
        forEach(
            users,
            { user, done in self.perform(what, .watch(user: user, isOn: isOn)) { error, _ in done(error) } }, callback)
    }
}
