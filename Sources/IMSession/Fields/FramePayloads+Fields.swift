import IMProtocol
import IMTree

// The fields of the types that frames, commands and notifications contain. Each `visitFields` changes a copy of the
// value, so that properties without a field are preserved.

extension LoginRequest: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> LoginRequest {
        var login = self
        login.application = visitor.hidden(application, .application)
        login.user = visitor.text(.user, user, .user)
        login.device = visitor.ownDevice(device)
        login.mode = visitor.choice(.mode, mode)
        login.epoch = visitor.number(.epoch, epoch)
        login.credential = credential.visitFields(&visitor)
        login.userName = visitor.userName(userName)
        return login
    }
}

extension LoginReply: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> LoginReply {
        var reply = self
        reply.status = visitor.choice(.status, status)
        reply.epoch = visitor.number(.epoch, epoch)
        reply.otherDevices = visitor.devices(.others, otherDevices)
        reply.wasGone = visitor.flag(.wasGone, wasGone)
        return reply
    }
}

extension KickNotice: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> KickNotice {
        var notice = self
        notice.reason = visitor.choice(.reason, reason)
        notice.epoch = visitor.number(.epoch, epoch)
        notice.by = visitor.cause(by)
        return notice
    }
}

extension FieldVisitor {
    /// Visits the device that caused a kick; nil if no device did.
    mutating func cause(_ by: Device?) -> Device? {
        guard let by else {
            shown(.by, "-")
            return nil
        }
        return device(by, id: .by)
    }

    /// Visits the name that apps show for a user. An empty name is not shown.
    mutating func userName(_ name: String) -> String { name.isEmpty ? name : text(.userName, name, .text(.text)) }

    /// Visits the channel whose attributes are set; empty for the attributes of the user.
    mutating func channelOrOwn(_ channel: String) -> String {
        text(.channel, channel.isEmpty ? nil : channel, none: "-", .channel) ?? ""
    }
}

extension Credential: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Credential {
        // Shows the name of a credential or the verdict on it, never the text of a secret.
        switch self {
        case .reference(let name):
            visitor.shown(.credential, name.isEmpty ? "none" : name)
            return .reference(visitor.hidden(name, .credential))
        case .secret(let secret):
            visitor.shown(.credential, "(secret)")
            return .secret(visitor.hidden(secret, .text(.id)))
        case .verdict(var verdict):
            verdict.finding = visitor.choice(.credential, verdict.finding)
            verdict.user = visitor.hidden(verdict.user, .user)
            return .verdict(verdict)
        }
    }
}

extension CredentialVerdict.Finding: FieldChoice {
    package var fieldText: String { "\(self)" }
}

extension ChatMessage {
    /// Visits the message.
    ///
    /// - Parameter editing: whether a user can change the sender.
    func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor, from editing: FieldEditing) -> ChatMessage {
        var message = self
        message.id = visitor.text(.id, id, .identifier)
        message.from = visitor.text(.from, from, .user, editing)
        message.to = visitor.text(.to, to, isToChannel || isToGroup ? .channel : .user)
        message.text = visitor.text(.text, text, .item)
        return message
    }
}

extension SyncItem: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> SyncItem {
        var item = self
        item.id = visitor.hidden(id, .itemIdentifier)
        item.text = visitor.hidden(text, .item)
        return item
    }
}

extension AccountCall: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> AccountCall {
        var call = self
        visitor.shown(.action, action.name)
        call.application = visitor.hidden(application, .application)
        call.user = visitor.text(.user, user, .user)
        call.credential = credential.visitFields(&visitor)
        call.action = action.visitFields(&visitor)
        return call
    }
}

extension AccountCall.Action: HasFields {
    var name: String {
        switch self {
        case .listDevices: "list-devices"
        case .kick: "kick-device"
        case .kickAll: "kick-all"
        }
    }

    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> AccountCall.Action {
        switch self {
        case .listDevices, .kickAll: self
        case .kick(let device): .kick(device: visitor.text(.device, device, .device))
        }
    }
}

extension DeviceOperation: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> DeviceOperation {
        var operation = self
        operation.kind = visitor.choice(.operation, kind)
        operation.target = visitor.text(.target, target, .target)
        operation.ext = visitor.text(.ext, ext, .ext(of: kind))
        operation.device = visitor.text(.device, device, .device)
        operation.id = visitor.text(.id, id, .identifier)
        return operation
    }
}

extension Question: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Question {
        switch self {
        case .members(let channel): .members(channel: visitor.text(.members, channel, .channel))
        case .attributes(let user): .attributes(user: visitor.text(.attributes, user, .user))
        case .channelAttributes(let channel):
            .channelAttributes(channel: visitor.text(.channelAttributes, channel, .channel))
        case .users(let names): .users(visitor.names(.users, names, .user))
        }
    }
}

extension TreeRequest: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeRequest {
        visitor.shown(.verb, name)
        let path = visitor.text(.path, path, .path)
        switch self {
        case .set(_, let node): return .set(path: path, visitor.tree(.value, node))
        case .update(_, let parts): return .update(path: path, visitor.parts(.value, parts))
        case .transaction(_, let node, let hash):
            let node = visitor.tree(.value, node)
            return .transaction(path: path, node, over: visitor.hash(.hash, hash))
        case .get(_, let query): return .get(path: path, visitor.query(.query, query))
        case .listen(_, let query, let number, let hash):
            let query = visitor.query(.query, query)
            return .listen(
                path: path, query, number: visitor.number(.listen, number), hash: hash.map { visitor.hash(.hash, $0) })
        case .unlisten(_, let number): return .unlisten(path: path, number: visitor.number(.listen, number))
        case .onDisconnect(_, let node): return .onDisconnect(path: path, visitor.tree(.value, node))
        case .onDisconnectUpdate(_, let parts):
            return .onDisconnectUpdate(path: path, visitor.parts(.value, parts))
        case .cancelOnDisconnect: return .cancelOnDisconnect(path: path)
        }
    }
}

extension TreeData: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeData {
        var data = self
        data.path = visitor.text(.path, path, .path)
        data.listen = visitor.number(.listen, listen)
        switch change {
        case .set(let node): data.change = .set(visitor.tree(.value, node))
        case .update(let parts): data.change = .update(visitor.parts(.value, parts))
        }
        return data
    }
}

extension SubscriptionSnapshot: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> SubscriptionSnapshot {
        var settlement = self
        settlement.channels = visitor.names(.channels, channels, .channel)
        settlement.watched = visitor.names(.watched, watched, .user)
        settlement.attributes = attributes.map { visitor.attributes($0) }
        return settlement
    }
}
