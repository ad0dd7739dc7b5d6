import SansIO

// Generates the users, friends and groups of a population.

extension PopulationFeed {
    /// The display name of a person or group, and the first part of the id.
    struct Person {
        var name: String
        var id: String
    }

    func person(_ index: Int) -> Person {
        var random = SeededRandom(seed, Part.users.rawValue, index)
        if random.percent(62) {
            let surname = PopulationNames.surnames[random.earlyIndex(PopulationNames.surnames.count)]
            let given = random.one(of: PopulationNames.givenNames)
            return Person(name: surname.name + given.name, id: "\(surname.id).\(given.id)")
        }
        let first = random.one(of: PopulationNames.firstNames)
        let last = random.one(of: PopulationNames.lastNames)
        return Person(name: "\(first.name) \(last.name)", id: "\(first.id).\(last.id)")
    }

    func userID(_ index: Int) -> String {
        let id = person(index).id + String(index + 1)
        // A generated id that equals the owner's gets a suffix, because the owner has no conversation with themselves.
        // All other generated ids end in a digit, so the result is unique.
        return id == owner ? id + ".b" : id
    }

    var ownUser: LocalUser {
        // The other users have the indices from 0 on, so -1 gives the owner random values of their own.
        let ownPerson = person(-1)
        return LocalUser(
            id: owner, name: owner.isEmpty ? ownPerson.name : owner, avatarURL: "https://img.example.com/me.png")
    }

    func user(_ index: Int) -> LocalUser {
        var random = SeededRandom(seed, Part.users.rawValue ^ 0x100, index)
        let status = random.percent(20) ? random.one(of: PopulationNames.statuses) : ""
        return LocalUser(
            id: userID(index), name: person(index).name, avatarURL: "https://img.example.com/u/\(index + 1).jpg",
            extendedData: status)
    }

    // MARK: Friends

    /// A random time on the day before the first message.
    private func earlier(_ random: inout SeededRandom) -> Int64 {
        random.time(before: layout.start, within: PopulationLayout.dayMilliseconds - 1)
    }

    func friend(_ index: Int) -> LocalFriend {
        var random = random(.friends, index)
        let alias = random.percent(30) ? random.one(of: PopulationNames.aliases) : ""
        let city = random.one(of: PopulationNames.cities)
        return LocalFriend(
            user: userID(index), alias: alias.isEmpty ? "" : alias + String(person(index).name.prefix(1)),
            attributes: random.percent(40) ? [.init(name: "city", value: city)] : [],
            createTime: earlier(&random),
            wording: random.percent(50) ? random.one(of: PopulationNames.greetings) : "")
    }

    func friendApplication(_ index: Int) -> FriendApplication {
        var random = random(.friendApplications, index)
        let created = random.time(before: layout.end, within: layout.span)
        let state = random.one(of: [ApplicationState.waiting, .waiting, .rejected, .expired])
        return FriendApplication(
            user: userID(layout.peers + index), isReceived: random.percent(80), state: state,
            wording: random.one(of: PopulationNames.greetings), createTime: created,
            updateTime: state == .waiting ? created : random.time(before: layout.end, within: layout.end - created))
    }

    // MARK: Groups

    func groupName(_ index: Int) -> Person {
        var random = SeededRandom(seed, Part.groups.rawValue, index)
        if random.percent(65) {
            let topic = random.one(of: PopulationNames.groupTopics)
            return Person(name: topic.name + random.one(of: PopulationNames.groupEndings), id: topic.id)
        }
        let topic = random.one(of: PopulationNames.englishTopics)
        return Person(name: "\(topic.name) \(random.one(of: PopulationNames.englishEndings))", id: topic.id)
    }

    func groupID(_ index: Int) -> String { "g-\(groupName(index).id)-\(index + 1)" }

    func group(_ index: Int) -> LocalGroup {
        var random = random(.groups, index)
        let name = groupName(index)
        var group = LocalGroup(id: "g-\(name.id)-\(index + 1)", name: name.name)
        group.avatarURL = "https://img.example.com/g/\(index + 1).png"
        if random.percent(40) { group.notice = random.one(of: PopulationNames.notices) }
        if random.percent(30) { group.attributes.append(.init(name: "floor", value: String(1 + random.below(30)))) }
        if random.percent(30) {
            group.attributes.append(.init(name: "city", value: random.one(of: PopulationNames.cities)))
        }
        if random.percent(5) { group.alias = random.one(of: PopulationNames.conversationAliases) }
        group.notifies = random.below(6) != 0
        group.createTime = earlier(&random)
        return group
    }

    /// The id of a member of a group. The owner of the data has index 0. Each other index chooses from its own range of
    /// users, so that no user is a member twice.
    func memberID(_ itemIndex: Int, of group: Int) -> String {
        guard itemIndex > 0 else { return owner }
        let others = layout.members(of: group) - 1
        let low = (itemIndex - 1) * layout.groupUsers / others
        let high = itemIndex * layout.groupUsers / others
        var random = random(.members, group * 64 + itemIndex)
        return userID(low + random.itemIndex(high - low))
    }

    func member(_ itemIndex: Int, of group: Int) -> GroupMember {
        var random = SeededRandom(key, Part.members.rawValue ^ 0x100, group * 64 + itemIndex)
        // The owner of the data owns every fifth group.
        let hostIndex = group % 5 == 0 ? 0 : 1
        let role: GroupMember.Role = itemIndex == hostIndex ? .owner : itemIndex == 2 ? .admin : .member
        let nickname = random.percent(20) ? random.one(of: PopulationNames.nicknames) : ""
        let muted: Int64 =
            switch role == .member ? random.below(100) : 100 {
            case 0: -1
            case 1...2: layout.end + Int64(random.below(7)) * PopulationLayout.dayMilliseconds
            default: 0
            }
        return GroupMember(user: memberID(itemIndex, of: group), nickname: nickname, role: role, mutedUntil: muted)
    }

    /// An application to join a group, or an invitation, for a user who is in no group. A group has at most one.
    func groupApplication(_ index: Int) -> GroupApplication {
        var random = random(.groupApplications, index)
        let created = random.time(before: layout.end, within: layout.span)
        return GroupApplication(
            group: groupID(index * layout.groups / layout.groupApplications),
            user: userID(layout.groupUsers + random.itemIndex(layout.users - layout.groupUsers)),
            kind: random.percent(70) ? .join : .invite,
            state: random.one(of: [.waiting, .rejected, .expired]), wording: random.one(of: PopulationNames.greetings),
            createTime: created, updateTime: random.time(before: layout.end, within: layout.end - created))
    }
}
