import IMClient
import IMProtocol

// The fields of effects. If a visitor has changed the inputs of a recording, the machines produce the effects again. So
// the replaced effects are only used for comparisons.

extension NodeEffect: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> NodeEffect {
        switch self {
        case .send(let connection, let frame): return .send(connection, frame.visitFields(&visitor))
        case .connect: visitor.shown(.link, "connect")
        case .closeLink: visitor.shown(.link, "close")
        case .persist(let data): return .persist(data.visitFields(&visitor, isStart: false))
        case .keep(let item): return .keep(item.visitFields(&visitor))
        case .data(let request): return .data(request.visitFields(&visitor))
        case .complete(let id, var completion):
            visitor.shown(.id, String(id.rawValue))
            completion.status = visitor.choice(.status, completion.status)
            completion.rows = visitor.rows(completion.rows)
            return .complete(id, completion)
        case .notify(let notification): return .notify(notification.visitFields(&visitor))
        case .transition(var change):
            change.from = visitor.choice(.from, change.from)
            change.to = visitor.choice(.to, change.to)
            change.reason = visitor.choice(.reason, change.reason)
            return .transition(change)
        case .presence(let user, let device, let change):
            return .presence(
                user: visitor.text(.user, user, .user), device: visitor.text(.device, device, .device),
                visitor.choice(.presence, change))
        }
        return self
    }
}

extension LocalData {
    /// Visits a client's stored data.
    ///
    /// - Parameter isStart: true in a start event, which shows only the last user.
    func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor, isStart: Bool) -> LocalData {
        var data = self
        data.lastUser = visitor.text(.lastUser, lastUser, none: "-", .user)
        if !isStart {
            data.lastResult = visitor.choice(.lastResult, lastResult, none: "-")
            visitor.shown(.autologin, autologinAllowed ? "allowed" : "not-allowed")
        }
        data.credentialReference = visitor.hidden(credentialReference, .credential)
        guard !Visitor.onlyReads else { return data }
        data.items = items.map { item in
            var item = item
            item.user = visitor.hidden(item.user, .user)
            item.id = visitor.hidden(item.id, .itemIdentifier)
            item.text = visitor.hidden(item.text, .item)
            return item
        }
        data.unsent = UnsentChanges(
            changes: unsent.changes.map {
                .init(user: visitor.hidden($0.user, .user), change: $0.change.visitFields(&visitor))
            })
        data.received = ReceivedNumbers(
            users: received.users.map { .init(user: visitor.hidden($0.user, .user), numbers: $0.numbers) })
        return data
    }
}

extension LocalItem: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> LocalItem {
        var item = self
        item.user = visitor.text(.user, user, .user)
        item.kind = visitor.choice(.kind, kind)
        item.id = visitor.text(.id, id, .itemIdentifier)
        item.text = visitor.text(.text, text, .item)
        return item
    }
}

extension ClientNotification: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ClientNotification {
        switch self {
        case .loginStep(let step): return .loginStep(visitor.choice(.step, step))
        case .autologinFailed(let status): return .autologinFailed(visitor.choice(.autologinFailed, status))
        case .kicked(var notice):
            notice.reason = visitor.choice(.kicked, notice.reason)
            notice.by = visitor.cause(notice.by)
            return .kicked(notice)
        case .devicesChanged(let change, let devices):
            return .devicesChanged(visitor.choice(.devices, change), visitor.devices(.ids, devices))
        case .messageReceived(var message):
            message.text = visitor.text(.message, message.text, .item)
            message.from = visitor.text(.from, message.from, .user)
            message.id = visitor.hidden(message.id, .identifier)
            message.to = visitor.hidden(message.to, message.isToChannel || message.isToGroup ? .channel : .user)
            return .messageReceived(message)
        case .memberChanged(let channel, let user, let joined):
            return .memberChanged(
                channel: visitor.text(.channel, channel, .channel), user: visitor.text(.member, user, .user),
                joined: visitor.flag(.joined, joined))
        case .tokenExpired: visitor.shown(.token, "expired")
        case .tokenWillExpire(let remaining):
            visitor.shown(.token, "will-expire")
            return .tokenWillExpire(inMilliseconds: visitor.number(.inMs, remaining))
        case .autologinCompleted(let status): return .autologinCompleted(visitor.choice(.autologin, status))
        case .syncStarted: visitor.shown(.sync, "started")
        case .syncFinished: visitor.shown(.sync, "finished")
        case .synced(let phase, let new):
            return .synced(visitor.choice(.synced, phase), new: visitor.number(.new, new))
        case .operated(let operation): return .operated(operation.visitFields(&visitor))
        case .presence(let user, let change):
            return .presence(user: visitor.text(.user, user, .user), visitor.choice(.presence, change))
        case .dataSync(let state): visitor.shown(.sync, state.name)
        case .dataProgress(let done, let all):
            return .dataProgress(done: visitor.number(.done, done), all: visitor.number(.all, all))
        case .linkChanged(var change):
            visitor.shown(.link, "\(change.from.name) → \(change.to.name)")
            change.reason = visitor.choice(.reason, change.reason)
            change.channels = visitor.names(.channels, change.channels, .channel)
            return .linkChanged(change)
        case .dataOpened(let user):
            visitor.shown(.sync, "opened")
            return .dataOpened(user: visitor.text(.user, user, .user))
        case .replaced(var notice):
            notice.reason = visitor.choice(.kicked, notice.reason)
            notice.by = visitor.cause(notice.by)
            return .replaced(notice)
        case .dataChanged(let kind, let name):
            visitor.shown(.change, kind.name)
            return .dataChanged(kind, visitor.text(.id, name, kind.privacyOfName))
        case .treeValue(let path, let node, let query):
            let path = visitor.text(.path, path, .path)
            return .treeValue(path: path, visitor.tree(.value, node), query.map { visitor.query(.query, $0) })
        case .treeChild(var notice):
            visitor.shown(.what, notice.kind.name)
            notice.path = visitor.text(.path, notice.path, .path)
            notice.query = notice.query.map { visitor.query(.query, $0) }
            notice.key = visitor.text(.key, notice.key, .path)
            notice.previousKey = visitor.text(.previousKey, notice.previousKey, none: "-", .path)
            notice.node = visitor.tree(.value, notice.node)
            return .treeChild(notice)
        case .treeCancelled(let path, let query, let status):
            visitor.shown(.what, "cancelled")
            let path = visitor.text(.path, path, .path)
            return .treeCancelled(
                path: path, query.map { visitor.query(.query, $0) }, visitor.choice(.status, status))
        }
        return self
    }
}
