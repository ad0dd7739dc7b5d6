import IMProtocol

// Calls about users, friends and groups.

extension UserRecords {
    /// A row for each requested user; an error row for a user without stored data.
    func users(_ request: LocalRequest, in table: EntryTable) throws(Failure) -> LocalAnswer {
        var answer = done
        for name in request.list("userIDs") {
            let found = try entry(table, name)
            answer.rows.append(
                try found.map { (entry) throws(Failure) in AnswerRow(try row(entry)) } ?? rows.error(ofUser: name))
        }
        return answer
    }

    func searchFriends(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let keywords = Keywords(request.list("keywords"))
        let alsoAlias = request.flag("isAlsoMatchFriendAlias")
        return try page(.friend, request) { (change) throws(Failure) in
            guard case .friend(let friend) = change else { return false }
            let name = try storedUser(friend.user).name
            return keywords.occur(in: alsoAlias ? [name, friend.alias] : [name])
        }
    }

    // MARK: Groups

    func groupList() throws(Failure) -> LocalAnswer {
        var found: [Fields] = []
        for change in try all(.group) { found.append(try row(change)) }
        return self.found(found)
    }

    func searchGroups(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let keywords = Keywords(request.list("keywords"))
        let alsoNames = request.flag("isAlsoMatchGroupMemberUserName")
        let alsoNicknames = request.flag("isAlsoMatchGroupMemberNickname")
        return try page(.group, request) { (change) throws(Failure) in
            guard case .group(let group) = change else { return false }
            var texts = [group.name]
            guard alsoNames || alsoNicknames else { return keywords.occur(in: texts) }
            for case .member(_, let member) in try all(.member(of: group.id)) {
                if alsoNames { texts.append(try storedUser(member.user).name) }
                if alsoNicknames { texts.append(member.nickname) }
            }
            return keywords.occur(in: texts)
        }
    }

    func groupAttributes(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        guard let group = try group(request.text("groupID")) else { return missingGroup }
        let keys = request.call == .queryGroupAttributes ? request.list("keys") : nil
        let chosen = group.attributes.filter { keys?.contains($0.name) ?? true }
        return found(chosen.map { [("key", $0.name), ("value", $0.value)] })
    }

    func memberPage(
        _ request: LocalRequest, where condition: ((GroupMember) throws(Failure) -> Bool)? = nil
    ) throws(Failure) -> LocalAnswer {
        let table = EntryTable.member(of: request.text("groupID"))
        guard try count(table) != nil else { return missingGroup }
        guard let condition else { return try page(table, request) }
        return try page(table, request) { (change) throws(Failure) in
            guard case .member(_, let member) = change else { return false }
            return try condition(member)
        }
    }

    func searchMembers(_ request: LocalRequest) throws(Failure) -> LocalAnswer {
        let keywords = Keywords(request.list("keywords"))
        let alsoNickname = request.flag("isAlsoMatchGroupMemberNickname")
        return try memberPage(request) { (member) throws(Failure) in
            let name = try storedUser(member.user).name
            return keywords.occur(in: alsoNickname ? [name, member.nickname] : [name])
        }
    }
}
