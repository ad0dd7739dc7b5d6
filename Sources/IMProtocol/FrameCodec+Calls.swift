import SwiftProtobuf

// Payloads of account calls, operations, questions and the tree, to and from their generated form.

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
            ext: wire.extension, device: wire.device, number: wire.number)
    }

    var wire: WireOperation {
        .with {
            $0.id = id
            $0.kind = UInt32(kind.rawValue)
            $0.target = target
            $0.extension = ext
            $0.device = device
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
        case nil: throw .invalidField("question")
        }
    }

    var wire: WireQuestion {
        .with {
            switch self {
            case .members(let channel): $0.members = channel
            case .attributes(let user): $0.attributes = user
            case .channelAttributes(let channel): $0.channelAttributes = channel
            }
        }
    }
}

extension TreeValue {
    /// Values nested deeper than this are refused: reading them would take a stack as deep.
    static let depthMax = 32

    init(_ wire: WireTreeValue) throws(FrameError) { try self.init(wire, depth: 0) }

    private init(_ wire: WireTreeValue, depth: Int) throws(FrameError) {
        guard depth <= TreeValue.depthMax else { throw .invalidField("value") }
        switch wire.kind {
        case .boolean(let flag): self = .bool(flag)
        case .number(let number):
            // JSON has no others, and one of them does not even equal itself.
            guard number.isFinite else { throw .invalidField("value") }
            self = .number(number)
        case .text(let text): self = .text(text)
        case .children(let list):
            var children: [TreeChild] = []
            children.reserveCapacity(list.children.count)
            for child in list.children {
                // In order and each once, so that equal values have equal bytes.
                if let last = children.last, last.key >= child.key { throw .invalidField("value") }
                children.append(TreeChild(child.key, try TreeValue(child.value, depth: depth + 1)))
            }
            self = .children(children)
        case nil: self = .null
        }
    }

    var wire: WireTreeValue {
        .with {
            switch self {
            case .null: break
            case .bool(let flag): $0.boolean = flag
            case .number(let number): $0.number = number
            case .text(let text): $0.text = text
            case .children(let children):
                $0.children = .with {
                    $0.children = children.map { child in
                        .with {
                            $0.key = child.key
                            $0.value = child.value.wire
                        }
                    }
                }
            }
        }
    }
}

extension TreeRequest {
    init(_ wire: WireTreeRequest) throws(FrameError) {
        let path = wire.path
        switch wire.kind {
        case 1: self = .set(path: path, try TreeValue(wire.value))
        case 2: self = .update(path: path, try TreeValue(wire.value))
        case 3: self = .get(path: path)
        case 4: self = .listen(path: path)
        case 5: self = .unlisten(path: path)
        case 6: self = .onDisconnect(path: path, try TreeValue(wire.value), merges: wire.merges)
        case 7: self = .cancelOnDisconnect(path: path)
        default: throw .invalidField("kind")
        }
    }

    var wire: WireTreeRequest {
        .with {
            $0.path = path
            switch self {
            case .set(_, let value):
                $0.kind = 1
                $0.value = value.wire
            case .update(_, let value):
                $0.kind = 2
                $0.value = value.wire
            case .get: $0.kind = 3
            case .listen: $0.kind = 4
            case .unlisten: $0.kind = 5
            case .onDisconnect(_, let value, let merges):
                $0.kind = 6
                $0.value = value.wire
                $0.merges = merges
            case .cancelOnDisconnect: $0.kind = 7
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
