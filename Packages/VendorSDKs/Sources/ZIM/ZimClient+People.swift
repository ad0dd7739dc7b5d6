import Foundation
import IMLocalData
import IMProtocol

// Changes of users, groups and calls. The server does not send who made them.

extension ZimClient {
    func notifyUsers(_ change: LocalChange, _ zim: ZIM) {
        switch change {
        case .user(let user):
            if user.id == self.user {
                guard let row = look(.querySelfUserInfo, []).rows.first else { return }
                zim.handler?.zim(zim, userInfoUpdated: row.fullUserInfo)
            } else if let friend = friend(user.id) {
                zim.handler?.zim(zim, friendInfoUpdated: [friend])
            }
        case .friend(let friend):
            guard let info = self.friend(friend.user) else { return }
            zim.handler?.zim(zim, friendListChanged: [info], action: .added)
        case .friendRemoved(let user):
            let info = ZIMFriendInfo()
            if let row = known(user) { row.fill(info) } else { info.userID = user }
            zim.handler?.zim(zim, friendListChanged: [info], action: .deleted)
        case .friendApplication(let application):
            let info = ZIMFriendApplicationInfo()
            info.type = application.isReceived ? .received : .sent
            info.state = ZIMFriendApplicationState(word: application.state.name)
            info.applyUser = userInfo(application.user)
            info.wording = application.wording
            info.createTime = application.createTime
            info.updateTime = application.updateTime
            if application.state == .waiting {
                zim.handler?.zim(zim, friendApplicationListChanged: [info], action: .added)
            } else {
                zim.handler?.zim(zim, friendApplicationUpdated: [info])
            }
        case .blacklisted(let user, let isOn):
            zim.handler?.zim(zim, blacklistChanged: [userInfo(user)], action: isOn ? .added : .removed)
        default: break
        }
    }

    /// The data of a user in local data. Nil for an unknown user.
    private func known(_ user: String) -> AnswerRow? {
        look(.queryUsersInfo, [("userIDs", user)]).rows.first { $0.has("userID") }
    }

    func userInfo(_ user: String) -> ZIMUserInfo {
        if let row = known(user) { return row.userInfo }
        let info = ZIMUserInfo()
        info.userID = user
        return info
    }

    func friend(_ user: String) -> ZIMFriendInfo? {
        look(.queryFriendsInfo, [("userIDs", user)]).rows.first { $0.has("userID") }?.friendInfo
    }

    // MARK: Groups

    /// Stores the groups that the sync has brought; later ones are reported.
    func noteGroups() {
        let ids = look(.queryGroupList, []).rows.map { $0["groupID"] }
        groups = Dictionary(ids.compactMap { id in group(id).map { (id, $0) } }) { $1 }
    }

    private func group(_ id: String) -> AnswerRow? { look(.queryGroupInfo, [("groupID", id)]).rows.first }

    /// Reports changes of a group that the user is in already.
    private func notifyGroup(_ id: String, _ old: AnswerRow, _ new: AnswerRow, _ zim: ZIM) {
        let operated = ZIMGroupOperatedInfo()
        if old["groupName"] != new["groupName"] {
            zim.handler?.zim(zim, groupNameUpdated: new["groupName"], operatedInfo: operated, groupID: id)
        }
        if old["groupAvatarUrl"] != new["groupAvatarUrl"] {
            zim.handler?.zim(zim, groupAvatarUrlUpdated: new["groupAvatarUrl"], operatedInfo: operated, groupID: id)
        }
        if old["groupNotice"] != new["groupNotice"] {
            zim.handler?.zim(zim, groupNoticeUpdated: new["groupNotice"], operatedInfo: operated, groupID: id)
        }
        let (before, after) = (old.attributes("groupAttributes"), new.attributes("groupAttributes"))
        let set = after.filter { before[$0.key] != $0.value }
        if !set.isEmpty {
            let info = ZIMGroupAttributesUpdateInfo()
            info.groupAttributes = set
            zim.handler?.zim(zim, groupAttributesUpdated: [info], operatedInfo: operated, groupID: id)
        }
    }

    func notifyGroups(_ change: LocalChange, _ zim: ZIM) {
        let operated = ZIMGroupOperatedInfo()
        switch change {
        case .group(let group):
            guard let row = self.group(group.id) else { return }
            let old = groups?.updateValue(row, forKey: group.id)
            if let old { return notifyGroup(group.id, old, row, zim) }
            let isOwner = member(user, of: group.id)?.memberRole == ZIMGroupMemberRoleOwner
            zim.handler?.zim(
                zim, groupStateChanged: .enter, event: isOwner ? .created : .invited, operatedInfo: operated,
                groupInfo: row.fullGroupInfo)
        case .groupRemoved(let id):
            groups?[id] = nil
            let info = ZIMGroupFullInfo()
            info.baseInfo.groupID = id
            zim.handler?.zim(
                zim, groupStateChanged: .quit, event: .left, operatedInfo: operated, groupInfo: info)
        case .member(let group, let member):
            guard let info = self.member(member.user, of: group) else { return }
            zim.handler?.zim(
                zim, groupMemberStateChanged: .enter, event: .joined, userList: [info], operatedInfo: operated,
                groupID: group)
        case .memberRemoved(let group, let user):
            let info = ZIMGroupMemberInfo()
            if let row = known(user) { row.fill(info) } else { info.userID = user }
            zim.handler?.zim(
                zim, groupMemberStateChanged: .quit, event: .left, userList: [info], operatedInfo: operated,
                groupID: group)
        case .groupApplication(let application):
            let info = ZIMGroupApplicationInfo()
            info.type = ZIMGroupApplicationType(rawValue: UInt(application.kind.rawValue)) ?? .none
            info.state = ZIMGroupApplicationState(word: application.state.name)
            info.groupInfo.groupID = application.group
            info.applyUser = userInfo(application.user)
            info.wording = application.wording
            info.createTime = application.createTime
            info.updateTime = application.updateTime
            if application.state == .waiting {
                zim.handler?.zim(zim, groupApplicationListChanged: [info], action: .added)
            } else {
                zim.handler?.zim(zim, groupApplicationUpdated: [info])
            }
        default: break
        }
    }

    private func member(_ user: String, of group: String) -> ZIMGroupMemberInfo? {
        look(.queryGroupMemberInfo, [("userID", user), ("groupID", group)]).rows.first?.member
    }

    // MARK: Calls

    func notifyCall(_ call: CallInvitation, _ zim: ZIM) {
        // The user's own call, and the end of one, have no callback here.
        guard call.caller != user, call.endTime == 0 else { return }
        let info = ZIMCallInvitationReceivedInfo()
        info.caller = call.caller
        info.inviter = call.inviter
        info.createTime = call.createTime
        info.callUserList = call.users.map { ZIMCallUserInfo($0) }
        zim.handler?.zim(zim, callInvitationReceived: info, callID: call.id)
    }
}
