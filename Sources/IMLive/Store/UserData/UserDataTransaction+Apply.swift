import IMLocalData

extension UserDataTransaction {
    /// Applies a change; a change that is already applied has no effect.
    func apply(_ change: LocalChange) throws {
        switch change {
        case .user(let user): try set(.user, user.id, change)
        case .friend(let friend): try set(.friend, friend.user, change)
        case .friendRemoved(let user): try remove(.friend, user)
        case .friendApplication(let application): try set(.friendApplication, application.user, change)
        case .blacklisted(let user, true): try set(.blacklist, user, change)
        case .blacklisted(let user, false): try remove(.blacklist, user)
        case .group(let group): try set(.group, group.id, change)
        case .groupRemoved(let group):
            try remove(.group, group)
            try removeAll(.member, scope: group)
        case .member(let group, let member):
            try set(.member, scope: group, member.user, change, serial: member.place)
        case .memberRemoved(let group, let user): try remove(.member, scope: group, user)
        case .groupApplication(let application):
            try set(.groupApplication, "\(application.group)/\(application.user)", change)
        case .message(let message): try take(message)
        case .messageRevoked(let id): try revoke(id)
        case .messagesRemoved(let ids): for id in ids { try remove(id) }
        case .conversationRemoved(let id, let time):
            try clear(id, through: Position([time, .max, .max]))
            _ = try removeFromList([id])
            // No later change of that time restores it.
            try self.change(id) { $0.messageTime = max($0.messageTime, time) }
        case .conversationEmptied(let id, let time): try clear(id, through: Position([time, .max, .max]))
        case .read(let ids, let user), .conversationRead(let ids, let user):
            for id in ids {
                if let message = try message(id) { try addReader(user, of: message.localID) }
            }
        case .reaction(let id, let reaction, let isOn): try set(reaction, of: id, isOn: isOn)
        case .conversation(let news):
            var conversation = try begun(news.id)
            conversation.take(news)
            save(conversation)
        case .readElsewhere(let id, let time): try read(id, upTo: time)
        case .call(let call): try set(.call, call.id, change)
        case .delivered: break
        case .downloaded(let id, let time):
            guard let message = try message(id), message.file != nil else { return }
            try run("UPDATE message SET downloadedAt = ? WHERE localID = ?", [time, message.localID])
        }
    }
}
