import IMTree
import SwiftProtobuf

/// The reason why bytes are not a frame.
public enum FrameError: Error, Hashable, Sendable, Codable {
    /// There are more than ``ProtocolLimit/frameBytesMax`` bytes.
    case tooLarge
    /// The bytes are not a protobuf message.
    case notProtobuf
    /// The frame has no body, or a body that this version does not support.
    case emptyFrame
    /// A field has an invalid value. The text is the name of the field.
    case invalidField(String)

    /// A description of the error.
    public var explanation: String {
        switch self {
        case .tooLarge: "the frame is larger than \(ProtocolLimit.frameBytesMax) bytes"
        case .notProtobuf: "the frame is not readable protobuf"
        case .emptyFrame: "the frame says nothing"
        case .invalidField(let name): "the frame's field '\(name)' holds an impossible value"
        }
    }
}

extension Frame {
    /// Reads a frame from the bytes of one binary message. The length is checked before the bytes are parsed.
    public init(bytes: [UInt8]) throws(FrameError) {
        guard bytes.count <= ProtocolLimit.frameBytesMax else { throw .tooLarge }
        let wire: WireFrame
        do {
            wire = try WireFrame(serializedBytes: bytes)
        } catch {
            throw .notProtobuf
        }
        guard let body = wire.body else { throw .emptyFrame }
        self.init(
            request: wire.request, try FrameBody(body), page: wire.page, hasMore: wire.more, checksum: wire.checksum)
    }

    /// The bytes of the frame, for one binary message.
    public func bytes() -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// The bytes of a frame with any body, encoded by the protobuf library. ``append(to:)`` is faster for some frames.
    func general() -> [UInt8] {
        var wire = WireFrame()
        wire.request = request
        wire.page = page
        wire.more = hasMore
        wire.said = checksum?.count ?? 0
        wire.saidCheck = checksum?.check ?? 0
        wire.body = body.wire
        do {
            return try wire.serializedBytes()
        } catch {
            // Encoding fails only if a required field is missing, and proto3 has no required fields.
            return []
        }
    }

    /// The name of the frame in these bytes, for fault rules. It is read from the tags without decoding the fields. For
    /// bytes that are not a frame it is "unreadable".
    public static func name(ofBytes bytes: [UInt8]) -> String {
        guard bytes.count <= ProtocolLimit.frameBytesMax, let name = FrameTags(bytes[...]).lastBody else {
            return "unreadable"
        }
        return name
    }
}

/// Reads the tags of a frame's fields.
private struct FrameTags {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The name of the frame whose body the bytes contain. If they contain several bodies, the last one counts, as in
    /// protobuf. Nil if there is none, or if the bytes are not protobuf.
    var lastBody: String? {
        var reader = self
        var body: String?
        while !reader.rest.isEmpty {
            guard let key = reader.varint(), key >> 3 != 0 else { return nil }
            switch key & 7 {
            case 0: guard reader.varint() != nil else { return nil }
            case 1: guard reader.skip(8) else { return nil }
            case 2:
                guard let length = reader.varint(), length <= UInt64(reader.rest.count), reader.skip(Int(length)) else {
                    return nil
                }
                if let name = FrameBody.name(ofField: key >> 3) { body = name }
            case 5: guard reader.skip(4) else { return nil }
            default: return nil
            }
        }
        return body
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension FrameBody {
    init(_ wire: WireFrame.OneOf_Body) throws(FrameError) {
        switch wire {
        case .login(let login): self = .login(try LoginRequest(login))
        case .loginAck(let reply): self = .loginAck(try LoginReply(reply))
        case .logout(let logout): self = .logout(keepsPush: logout.keepsPush)
        case .logoutAck(let reply): self = .logoutAck(try Status(wire: reply.status))
        case .heartbeat: self = .heartbeat
        case .heartbeatAck: self = .heartbeatAck
        case .kicked(let notice): self = .kicked(try KickNotice(notice))
        case .kickedAck(let reply): self = .kickedAck(epoch: reply.epoch)
        case .kick(let kick): self = .kick(device: kick.device)
        case .kickAck(let reply): self = .kickAck(try Status(wire: reply.status))
        case .sync: self = .sync
        case .syncPhase(let phase):
            self = .syncPhase(
                try SyncPhase(number: phase.phase, field: "phase"), count: phase.count,
                items: phase.items.map { SyncItem(id: $0.id, text: $0.text, number: $0.number) })
        case .syncDone: self = .syncDone
        case .devicesChanged(let change):
            self = .devicesChanged(
                try DeviceChange(number: change.change, field: "change"), try devices(change.devices))
        case .renewToken(let renewal): self = .renewToken(try Credential(renewal.credential))
        case .renewTokenAck(let reply):
            self = .renewTokenAck(
                try Status(wire: reply.status), expiresAtMilliseconds: reply.expiresAtMs,
                issuedAtMilliseconds: reply.issuedAtMs)
        case .tokenNotice(let notice):
            self = .tokenNotice(expired: notice.expired, remainingMilliseconds: notice.remainingMs)
        case .send(let message): self = .send(ChatMessage(message))
        case .sendAck(let reply): self = .sendAck(try Status(wire: reply.status), id: reply.id)
        case .message(let message): self = .message(ChatMessage(message))
        case .messageAck(let reply): self = .messageAck(id: reply.id, number: reply.number)
        case .join(let request): self = .join(channel: request.channel)
        case .joinAck(let reply):
            self = .joinAck(try Status(wire: reply.status), channel: reply.channel, members: reply.members)
        case .leave(let request): self = .leave(channel: request.channel)
        case .leaveAck(let reply): self = .leaveAck(try Status(wire: reply.status), channel: reply.channel)
        case .memberChanged(let change):
            self = .memberChanged(channel: change.channel, user: change.user, joined: change.joined)
        case .goodbye(let goodbye):
            self = .goodbye(try GoodbyeReason(number: goodbye.reason, field: "reason"), detail: goodbye.detail)
        case .accountCall(let call): self = .accountCall(try AccountCall(call))
        case .accountCallAck(let reply):
            self = .accountCallAck(try Status(wire: reply.status), try devices(reply.devices))
        case .operation(let operation): self = .operation(try DeviceOperation(operation))
        case .operationAck(let reply): self = .operationAck(try Status(wire: reply.status))
        case .operated(let operation): self = .operated(try DeviceOperation(operation))
        case .operatedAck(let reply): self = .operatedAck(id: reply.id, number: reply.number)
        case .setAttributes(let set):
            self = .setAttributes(channel: set.channel, set.fields.map(AnswerField.init))
        case .setAttributesAck(let reply): self = .setAttributesAck(try Status(wire: reply.status))
        case .ask(let question): self = .ask(try Question(question))
        case .answer(let answer):
            self = .answer(
                try Status(wire: answer.status),
                answer.rows.map { AnswerRow(fields: $0.fields.map(AnswerField.init)) })
        case .watch(let watch): self = .watch(user: watch.user, isOn: watch.on)
        case .watchAck(let reply): self = .watchAck(try Status(wire: reply.status))
        case .presence(let presence):
            self = .presence(
                user: presence.user, try PresenceChange(number: presence.change, field: "presence"))
        case .tree(let request): self = .tree(try TreeRequest(request))
        case .treeAck(let reply):
            self = .treeAck(try Status(wire: reply.status), try TreeNode(reply.value))
        case .treeData(let data): self = .treeData(try TreeData(data))
        case .treeCancelled(let cancel):
            self = .treeCancelled(listen: cancel.listen, try Status(wire: cancel.status))
        case .syncAck(let reply):
            self = .syncAck(
                try SyncPhase(number: reply.phase, field: "phase"), first: reply.first, last: reply.last)
        case .settle(let settlement): self = .settle(SubscriptionSnapshot(settlement))
        case .settleAck(let reply): self = .settleAck(channels: reply.channels, watched: reply.watched)
        case .resync: self = .resync
        case .resyncAck(let reply): self = .resyncAck(try devices(reply.otherDevices))
        case .fetchChanges(let request): self = .fetchChanges(after: request.after)
        case .changes(let page): self = .changes(try ChangePage(page))
        case .change(let change): self = .change(try ChangeRecord(change))
        case .changeAck(let reply): self = .changeAck(try Status(wire: reply.status))
        }
    }

    var wire: WireFrame.OneOf_Body {
        switch self {
        case .login(let login): .login(login.wire)
        case .loginAck(let reply): .loginAck(reply.wire)
        case .logout(let keepsPush): .logout(.with { $0.keepsPush = keepsPush })
        case .logoutAck(let status): .logoutAck(status.wireReply)
        case .heartbeat: .heartbeat(WireEmpty())
        case .heartbeatAck: .heartbeatAck(WireEmpty())
        case .kicked(let notice): .kicked(notice.wire)
        case .kickedAck(let epoch): .kickedAck(.with { $0.epoch = epoch })
        case .kick(let device): .kick(.with { $0.device = device })
        case .kickAck(let status): .kickAck(status.wireReply)
        case .sync: .sync(WireEmpty())
        case .syncPhase(let phase, let count, let items):
            .syncPhase(
                .with {
                    $0.phase = UInt32(phase.rawValue)
                    $0.count = count
                    $0.items = items.map { item in
                        .with {
                            $0.id = item.id
                            $0.text = item.text
                            $0.number = item.number
                        }
                    }
                })
        case .syncDone: .syncDone(WireEmpty())
        case .devicesChanged(let change, let devices):
            .devicesChanged(
                .with {
                    $0.change = UInt32(change.rawValue)
                    $0.devices = devices.map(\.wire)
                })
        case .renewToken(let credential): .renewToken(.with { $0.credential = credential.wire })
        case .renewTokenAck(let status, let expiry, let issue):
            .renewTokenAck(
                .with {
                    $0.status = UInt32(status.rawValue)
                    $0.expiresAtMs = expiry
                    $0.issuedAtMs = issue
                })
        case .tokenNotice(let expired, let remaining):
            .tokenNotice(
                .with {
                    $0.expired = expired
                    $0.remainingMs = remaining
                })
        case .send(let message): .send(message.wire)
        case .sendAck(let status, let id):
            .sendAck(
                .with {
                    $0.status = UInt32(status.rawValue)
                    $0.id = id
                })
        case .message(let message): .message(message.wire)
        case .messageAck(let id, let number): .messageAck(messageReply(id, number))
        case .join(let channel): .join(.with { $0.channel = channel })
        case .joinAck(let status, let channel, let members):
            .joinAck(channelReply(status, channel: channel, members: members))
        case .leave(let channel): .leave(.with { $0.channel = channel })
        case .leaveAck(let status, let channel): .leaveAck(channelReply(status, channel: channel, members: []))
        case .memberChanged(let channel, let user, let joined):
            .memberChanged(
                .with {
                    $0.channel = channel
                    $0.user = user
                    $0.joined = joined
                })
        case .goodbye(let reason, let detail):
            .goodbye(
                .with {
                    $0.reason = UInt32(reason.rawValue)
                    $0.detail = detail
                })
        case .accountCall(let call): .accountCall(call.wire)
        case .accountCallAck(let status, let devices):
            .accountCallAck(
                .with {
                    $0.status = UInt32(status.rawValue)
                    $0.devices = devices.map(\.wire)
                })
        case .operation(let operation): .operation(operation.wire)
        case .operationAck(let status): .operationAck(status.wireReply)
        case .operated(let operation): .operated(operation.wire)
        case .operatedAck(let id, let number): .operatedAck(messageReply(id, number))
        case .setAttributes(let channel, let fields):
            .setAttributes(
                .with {
                    $0.channel = channel
                    $0.fields = fields.map(\.wire)
                })
        case .setAttributesAck(let status): .setAttributesAck(status.wireReply)
        case .ask(let question): .ask(question.wire)
        case .answer(let status, let rows):
            .answer(
                .with {
                    $0.status = UInt32(status.rawValue)
                    $0.rows = rows.map { row in .with { $0.fields = row.fields.map(\.wire) } }
                })
        case .watch(let user, let isOn):
            .watch(
                .with {
                    $0.user = user
                    $0.on = isOn
                })
        case .watchAck(let status): .watchAck(status.wireReply)
        case .presence(let user, let change):
            .presence(
                .with {
                    $0.user = user
                    $0.change = UInt32(change.rawValue)
                })
        case .tree(let request): .tree(request.wire)
        case .treeAck(let status, let value):
            .treeAck(
                .with {
                    $0.status = UInt32(status.rawValue)
                    $0.value = value.wire
                })
        case .treeData(let data): .treeData(data.wire)
        case .treeCancelled(let listen, let status):
            .treeCancelled(
                .with {
                    $0.listen = listen
                    $0.status = UInt32(status.rawValue)
                })
        case .syncAck(let phase, let first, let last):
            .syncAck(
                .with {
                    $0.phase = UInt32(phase.rawValue)
                    $0.first = first
                    $0.last = last
                })
        case .settle(let settlement): .settle(settlement.wire)
        case .settleAck(let channels, let watched):
            .settleAck(
                .with {
                    $0.channels = channels
                    $0.watched = watched
                })
        case .resync: .resync(WireEmpty())
        case .resyncAck(let devices): .resyncAck(.with { $0.otherDevices = devices.map(\.wire) })
        case .fetchChanges(let number): .fetchChanges(.with { $0.after = number })
        case .changes(let page): .changes(page.wire)
        case .change(let change): .change(change.wire)
        case .changeAck(let status): .changeAck(status.wireReply)
        }
    }
}

extension WireFrame {
    fileprivate var checksum: FrameChecksum? {
        said == 0 && saidCheck == 0 ? nil : FrameChecksum(count: said, check: saidCheck)
    }
}

private func messageReply(_ id: String, _ number: UInt64) -> WireMessageReply {
    .with {
        $0.id = id
        $0.number = number
    }
}

private func channelReply(_ status: Status, channel: String, members: [String]) -> WireChannelReply {
    .with {
        $0.status = UInt32(status.rawValue)
        $0.channel = channel
        $0.members = members
    }
}
