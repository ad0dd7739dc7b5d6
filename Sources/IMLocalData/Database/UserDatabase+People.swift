import IMProtocol

// Calls about users, friends and groups.

extension UserDatabase {
    func usersInfo(_ request: LocalRequest) -> LocalAnswer {
        userRows(request) { users[$0].map(row) }
    }

    func friendsInfo(_ request: LocalRequest) -> LocalAnswer {
        userRows(request) { friends[$0].map(row) }
    }

    /// A row for each requested user, including unknown ones.
    private func userRows(_ request: LocalRequest, _ row: (String) -> Fields?) -> LocalAnswer {
        LocalAnswer(
            .ok, request.list("userIDs").map { name in row(name).map(AnswerRow.init) ?? answerRows.error(ofUser: name) }
        )
    }

    func searchFriends(_ request: LocalRequest) -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoAlias = request.flag("isAlsoMatchFriendAlias")
        return page(
            friends, request,
            where: { friend in
                let name = known(friend.user).name
                return FoldedText.matches(alsoAlias ? [name, friend.alias] : [name], keywords)
            }, row)
    }

    // MARK: Groups

    func searchGroups(_ request: LocalRequest) -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoNames = request.flag("isAlsoMatchGroupMemberUserName")
        let alsoNicknames = request.flag("isAlsoMatchGroupMemberNickname")
        return page(
            groups, request,
            where: { group in
                var texts = [group.name]
                for member in members[group.id]?.values ?? [] {
                    if alsoNames { texts.append(known(member.user).name) }
                    if alsoNicknames { texts.append(member.nickname) }
                }
                return FoldedText.matches(texts, keywords)
            }, row)
    }

    func groupAttributes(_ request: LocalRequest) -> LocalAnswer {
        guard let group = groups[request.text("groupID")] else { return missingGroup }
        let keys = request.call == .queryGroupAttributes ? request.list("keys") : nil
        let chosen = group.attributes.filter { keys?.contains($0.name) ?? true }
        return found(chosen.map { [("key", $0.name), ("value", $0.value)] })
    }

    func memberPage(_ request: LocalRequest, where condition: (GroupMember) -> Bool) -> LocalAnswer {
        guard let table = members[request.text("groupID")] else { return missingGroup }
        return page(table, request, where: condition, row)
    }

    func searchMembers(_ request: LocalRequest) -> LocalAnswer {
        let keywords = request.list("keywords")
        let alsoNickname = request.flag("isAlsoMatchGroupMemberNickname")
        return memberPage(request) { member in
            let name = known(member.user).name
            return FoldedText.matches(alsoNickname ? [name, member.nickname] : [name], keywords)
        }
    }
}
