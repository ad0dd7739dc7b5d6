import Foundation
import IMProtocol

// Users and friends in local data: 9 of the calls that work without a network (ZIM-9).

extension ZIM {
    /// The known data of at most ten users. A query of the server needs a network.
    public func queryUsersInfo(
        by userIDs: [String], config: ZIMUsersInfoQueryConfig, callback: @escaping ZIMUsersInfoQueriedCallback
    ) {
        let arguments = [("userIDs", list(userIDs)), ("isQueryFromServer", String(config.isQueryFromServer))]
        local(.queryUsersInfo, arguments) { reply in
            callback(
                reply.rows.filter { $0.has("userID") }.map(\.fullUserInfo), self.errorUsers(reply.rows), reply.error)
        }
    }

    /// The known data of the logged-in user.
    public func querySelfUserInfo(_ callback: @escaping ZIMSelfUserInfoQueriedCallback) {
        local(.querySelfUserInfo) { reply in
            let info = ZIMSelfUserInfo()
            if let row = reply.rows.first {
                info.userFullInfo = row.fullUserInfo
                info.userStatus.userID = row["userID"]
            }
            callback(info, reply.error)
        }
    }

    /// The blocked users.
    public func queryBlacklist(
        with config: ZIMBlacklistQueryConfig, callback: @escaping ZIMBlacklistQueriedCallback
    ) {
        local(.queryBlacklist, page(config.nextFlag, config.count)) { reply in
            callback(reply.rows.map(\.userInfo), reply.nextFlag, reply.error)
        }
    }

    /// Queries whether a user is blocked.
    public func checkUserIsInBlacklist(by userID: String, callback: @escaping ZIMBlacklistCheckedCallback) {
        local(.checkUserIsInBlackList, [("userID", userID)]) { reply in
            callback(reply.rows.first?.flag("isUserInBlacklist") ?? false, reply.error)
        }
    }

    /// All friends.
    public func queryFriendList(
        with config: ZIMFriendListQueryConfig, callback: @escaping ZIMFriendListQueriedCallback
    ) {
        local(.queryFriendList, page(config.nextFlag, config.count)) { reply in
            callback(reply.rows.map(\.friendInfo), reply.nextFlag, reply.error)
        }
    }

    /// The known data of at most ten friends.
    public func queryFriendsInfo(by userIDs: [String], callback: @escaping ZIMFriendsInfoQueriedCallback) {
        local(.queryFriendsInfo, [("userIDs", list(userIDs))]) { reply in
            callback(
                reply.rows.filter { $0.has("userID") }.map(\.friendInfo), self.errorUsers(reply.rows), reply.error)
        }
    }

    /// Friends by name.
    public func searchLocalFriends(
        with config: ZIMFriendSearchConfig, callback: @escaping ZIMFriendsSearchedCallback
    ) {
        let arguments =
            page(config.nextFlag, config.count) + [
                ("keywords", list(config.keywords)),
                ("isAlsoMatchFriendAlias", String(config.isAlsoMatchFriendAlias)),
            ]
        local(.searchLocalFriends, arguments) { reply in
            callback(reply.rows.map(\.friendInfo), reply.nextFlag, reply.error)
        }
    }

    /// Friend applications, sent and received.
    public func queryFriendApplicationList(
        with config: ZIMFriendApplicationListQueryConfig, callback: @escaping ZIMFriendApplicationListQueriedCallback
    ) {
        local(.queryFriendApplicationList, page(config.nextFlag, config.count)) { reply in
            callback(reply.rows.map(\.friendApplication), reply.nextFlag, reply.error)
        }
    }

    /// Group applications.
    public func queryGroupApplicationList(
        with config: ZIMGroupApplicationListQueryConfig, callback: @escaping ZIMGroupApplicationListQueriedCallback
    ) {
        local(.queryGroupApplicationList, page(config.nextFlag, config.count)) { reply in
            callback(reply.rows.map(\.groupApplication), UInt64(reply.nextFlag), reply.error)
        }
    }

    func page(_ nextFlag: some BinaryInteger, _ count: UInt32) -> [(String, String)] {
        [("nextFlag", String(nextFlag)), ("count", String(count))]
    }

    /// The users without data.
    private func errorUsers(_ rows: [AnswerRow]) -> [ZIMErrorUserInfo] {
        rows.filter { $0.has("errorUserID") }.map { row in
            let info = ZIMErrorUserInfo()
            info.userID = row["errorUserID"]
            info.reason = UInt32(ZIMErrorCode.commonModuleUserIsNotExist.rawValue)
            return info
        }
    }
}
