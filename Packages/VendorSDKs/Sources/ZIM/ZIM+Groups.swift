import Foundation
import IMProtocol

// Groups in local data: 10 of the calls that work without a network (ZIM-9); applications are with the users.

extension ZIM {
    /// All groups that the user is in.
    public func queryGroupList(_ callback: @escaping ZIMGroupListQueriedCallback) {
        local(.queryGroupList) { reply in callback(reply.rows.map(\.group), reply.error) }
    }

    /// Groups by name.
    public func searchLocalGroups(
        with config: ZIMGroupSearchConfig, callback: @escaping ZIMGroupsSearchedCallback
    ) {
        let arguments =
            page(config.nextFlag, config.count) + [
                ("keywords", list(config.keywords)),
                ("isAlsoMatchGroupMemberUserName", String(config.isAlsoMatchGroupMemberUserName)),
                ("isAlsoMatchGroupMemberNickname", String(config.isAlsoMatchGroupMemberNickname)),
            ]
        local(.searchLocalGroups, arguments) { reply in
            let infos = reply.rows.map { row in
                let info = ZIMGroupSearchInfo()
                info.groupInfo = row.groupInfo
                return info
            }
            callback(infos, reply.nextFlag, reply.error)
        }
    }

    /// A group.
    public func queryGroupInfo(by groupID: String, callback: @escaping ZIMGroupInfoQueriedCallback) {
        local(.queryGroupInfo, [("groupID", groupID)]) { reply in
            callback(reply.rows.first?.fullGroupInfo ?? ZIMGroupFullInfo(), reply.error)
        }
    }

    /// Some attributes of a group: at most ten.
    public func queryGroupAttributes(
        by keys: [String], groupID: String, callback: @escaping ZIMGroupAttributesQueriedCallback
    ) {
        local(.queryGroupAttributes, [("keys", list(keys)), ("groupID", groupID)]) { reply in
            callback(groupID, Self.attributes(reply.rows), reply.error)
        }
    }

    /// All attributes of a group.
    public func queryGroupAllAttributes(
        by groupID: String, callback: @escaping ZIMGroupAttributesQueriedCallback
    ) {
        local(.queryGroupAllAttributes, [("groupID", groupID)]) { reply in
            callback(groupID, Self.attributes(reply.rows), reply.error)
        }
    }

    private static func attributes(_ rows: [AnswerRow]) -> [String: String] {
        Dictionary(rows.map { ($0["key"], $0["value"]) }) { $1 }
    }

    // MARK: Members

    /// Members of a group.
    public func queryGroupMemberList(
        by groupID: String, config: ZIMGroupMemberQueryConfig, callback: @escaping ZIMGroupMemberListQueriedCallback
    ) {
        local(.queryGroupMemberList, [("groupID", groupID)] + page(config.nextFlag, config.count)) { reply in
            callback(groupID, reply.rows.map(\.member), reply.nextFlag, reply.error)
        }
    }

    /// Members of a group by name.
    public func searchLocalGroupMembers(
        by groupID: String, config: ZIMGroupMemberSearchConfig, callback: @escaping ZIMGroupMembersSearchedCallback
    ) {
        let arguments =
            [("groupID", groupID)] + page(config.nextFlag, config.count) + [
                ("keywords", list(config.keywords)),
                ("isAlsoMatchGroupMemberNickname", String(config.isAlsoMatchGroupMemberNickname)),
            ]
        local(.searchLocalGroupMembers, arguments) { reply in
            callback(groupID, reply.rows.map(\.member), reply.nextFlag, reply.error)
        }
    }

    /// A member of a group.
    public func queryGroupMemberInfo(
        by userID: String, groupID: String, callback: @escaping ZIMGroupMemberInfoQueriedCallback
    ) {
        local(.queryGroupMemberInfo, [("userID", userID), ("groupID", groupID)]) { reply in
            callback(groupID, reply.rows.first?.member ?? ZIMGroupMemberInfo(), reply.error)
        }
    }

    /// The number of members of a group.
    public func queryGroupMemberCount(
        by groupID: String, callback: @escaping ZIMGroupMemberCountQueriedCallback
    ) {
        local(.queryGroupMemberCount, [("groupID", groupID)]) { reply in
            callback(groupID, reply.rows.first?.count("count") ?? 0, reply.error)
        }
    }

    /// Muted members.
    public func queryGroupMemberMutedList(
        by groupID: String, config: ZIMGroupMemberMutedListQueryConfig,
        callback: @escaping ZIMGroupMemberMutedListQueriedCallback
    ) {
        local(.queryGroupMemberMutedList, [("groupID", groupID)] + page(config.nextFlag, config.count)) { reply in
            callback(groupID, UInt64(reply.nextFlag), reply.rows.map(\.member), reply.error)
        }
    }
}
