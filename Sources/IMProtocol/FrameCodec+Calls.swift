import SwiftProtobuf

// Converts account calls, operations, queries and changes to and from the types that the protobuf compiler generated.

extension AccountCall {
    init(_ wire: WireAccountCall) throws(FrameError) {
        let action: Action
        switch wire.action {
        case .listDevices: action = .listDevices
        case .kick(let device): action = .kick(device: device)
        case .kickAll: action = .kickAll
        case nil: throw .invalidField("action")
        }
        self.init(
            application: wire.application, user: wire.user, credential: try Credential(wire.credential),
            action: action)
    }

    var wire: WireAccountCall {
        .with {
            $0.application = application
            $0.user = user
            $0.credential = credential.wire
            switch action {
            case .listDevices: $0.listDevices = WireEmpty()
            case .kick(let device): $0.kick = device
            case .kickAll: $0.kickAll = WireEmpty()
            }
        }
    }
}

extension DeviceOperation {
    init(_ wire: WireOperation) throws(FrameError) {
        self.init(
            id: wire.id, kind: try OperationKind(number: wire.kind, field: "kind"), target: wire.target,
            ext: wire.extension, device: wire.device, isOfGroup: wire.group, number: wire.number)
    }

    var wire: WireOperation {
        .with {
            $0.id = id
            $0.kind = UInt32(kind.rawValue)
            $0.target = target
            $0.extension = ext
            $0.device = device
            $0.group = isOfGroup
            $0.number = number
        }
    }
}

extension AnswerField {
    init(_ wire: WireField) {
        self.init(name: wire.name, value: wire.value)
    }

    var wire: WireField {
        .with {
            $0.name = name
            $0.value = value
        }
    }
}

extension Question {
    init(_ wire: WireQuestion) throws(FrameError) {
        switch wire.kind {
        case .members(let channel): self = .members(channel: channel)
        case .attributes(let user): self = .attributes(user: user)
        case .channelAttributes(let channel): self = .channelAttributes(channel: channel)
        case .users(let users): self = .users(users.names)
        case nil: throw .invalidField("question")
        }
    }

    var wire: WireQuestion {
        .with {
            switch self {
            case .members(let channel): $0.members = channel
            case .attributes(let user): $0.attributes = user
            case .channelAttributes(let channel): $0.channelAttributes = channel
            case .users(let names): $0.users = .with { $0.names = names }
            }
        }
    }
}

extension ChangeRecord {
    init(_ wire: WireChange) throws(FrameError) {
        self.init(
            number: wire.number, kind: try ChangeKind(number: wire.kind, field: "kind"),
            fields: wire.fields.map(AnswerField.init))
    }

    var wire: WireChange {
        .with {
            $0.number = number
            $0.kind = UInt32(kind.rawValue)
            $0.fields = fields.map(\.wire)
        }
    }
}

extension ChangePage {
    init(_ wire: WireChanges) throws(FrameError) {
        var changes: [ChangeRecord] = []
        for change in wire.changes { changes.append(try ChangeRecord(change)) }
        self.init(after: wire.after, changes: changes, isLast: wire.last)
    }

    var wire: WireChanges {
        .with {
            $0.after = after
            $0.changes = changes.map(\.wire)
            $0.last = isLast
        }
    }
}
