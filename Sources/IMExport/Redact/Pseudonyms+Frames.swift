import IMProtocol
import IMScript
import IMSimulation

// Frames under pseudonyms. Every kind is named, so that a new one cannot be forgotten.

extension Pseudonyms {
    func frame(_ frame: Frame) -> Frame {
        var named = frame
        named.body = body(frame.body)
        return named
    }

    func body(_ body: FrameBody) -> FrameBody {
        switch body {
        case .logout, .logoutAck, .heartbeat, .heartbeatAck, .kickedAck, .kickAck, .sync, .syncDone, .renewTokenAck,
            .tokenNotice, .operationAck, .setAttributesAck, .watchAck, .syncAck,
            .resync:
            body
        case .login(let request): .login(login(request))
        case .loginAck(let reply): .loginAck(self.reply(reply))
        case .kicked(let notice): .kicked(self.notice(notice))
        case .kick(let device): .kick(device: name(device, .device))
        case .syncPhase(let phase, let count, let items): .syncPhase(phase, count: count, items: items.map(item))
        case .devicesChanged(let change, let devices): .devicesChanged(change, devices.map(device))
        case .renewToken(let credential): .renewToken(self.credential(credential))
        case .send(let message): .send(self.message(message))
        case .sendAck(let status, let id): .sendAck(status, id: identifier(id))
        case .message(let message): .message(self.message(message))
        case .messageAck(let id, let number): .messageAck(id: identifier(id), number: number)
        case .join(let channel): .join(channel: name(channel, .channel))
        case .joinAck(let status, let channel, let members):
            .joinAck(status, channel: name(channel, .channel), members: members.map { name($0, .user) })
        case .leave(let channel): .leave(channel: name(channel, .channel))
        case .leaveAck(let status, let channel): .leaveAck(status, channel: name(channel, .channel))
        case .memberChanged(let channel, let user, let joined):
            .memberChanged(channel: name(channel, .channel), user: name(user, .user), joined: joined)
        case .goodbye(let reason, let detail): .goodbye(reason, detail: self.detail(detail))
        case .accountCall(let call): .accountCall(self.call(call))
        case .accountCallAck(let status, let devices): .accountCallAck(status, devices.map(device))
        case .operation(let operation): .operation(self.operation(operation))
        case .operated(let operation): .operated(self.operation(operation))
        case .operatedAck(let id, let number): .operatedAck(id: identifier(id), number: number)
        case .setAttributes(let channel, let fields):
            .setAttributes(channel: name(channel, .channel), fields.map(attribute))
        case .ask(let question): .ask(self.question(question))
        case .answer(let status, let rows):
            .answer(status, rows.map { AnswerRow(fields: $0.fields.map(attribute)) })
        case .watch(let user, let isOn): .watch(user: name(user, .user), isOn: isOn)
        case .presence(let user, let change): .presence(user: name(user, .user), change)
        case .tree(let request): .tree(tree(request))
        case .treeAck(let status, let value): .treeAck(status, self.value(value))
        case .resyncAck(let devices): .resyncAck(devices.map(device))
        case .treeData(let path, let value): .treeData(path: self.path(path), self.value(value))
        case .settle(let settlement):
            .settle(
                Settlement(
                    channels: settlement.channels.map { name($0, .channel) },
                    watched: settlement.watched.map { name($0, .user) },
                    attributes: settlement.attributes?.map(attribute)))
        case .settleAck(let channels, let watched):
            .settleAck(
                channels: channels.map { name($0, .channel) }, watched: watched.map { name($0, .user) })
        }
    }

    func device(_ device: Device) -> Device {
        Device(
            id: name(device.id, .device), platform: device.platform, name: text(device.name, .model),
            osType: device.osType, ext: text(device.ext))
    }

    private func login(_ login: LoginRequest) -> LoginRequest {
        LoginRequest(
            application: application(login.application), user: name(login.user, .user), device: device(login.device),
            mode: login.mode, epoch: login.epoch, credential: credential(login.credential), instance: login.instance)
    }

    private func reply(_ reply: LoginReply) -> LoginReply {
        var reply = reply
        reply.otherDevices = reply.otherDevices.map(device)
        return reply
    }

    private func notice(_ notice: KickNotice) -> KickNotice {
        KickNotice(reason: notice.reason, epoch: notice.epoch, by: notice.by.map(device))
    }

    private func credential(_ credential: Credential) -> Credential {
        switch credential {
        case .reference(let name): .reference(self.credential(name))
        case .secret(let secret): .secret(text(secret, .id))
        case .verdict(let verdict):
            .verdict(
                CredentialVerdict(
                    verdict.finding, user: name(verdict.user, .user),
                    expiresAtMilliseconds: verdict.expiresAtMilliseconds,
                    issuedAtMilliseconds: verdict.issuedAtMilliseconds))
        }
    }

    private func message(_ message: ChatMessage) -> ChatMessage {
        ChatMessage(
            id: identifier(message.id), from: name(message.from, .user),
            to: name(message.to, message.isToChannel ? .channel : .user), text: item(message.text),
            isToChannel: message.isToChannel, number: message.number)
    }

    private func call(_ call: AccountCall) -> AccountCall {
        AccountCall(
            application: application(call.application), user: name(call.user, .user),
            credential: credential(call.credential),
            action: action(call.action))
    }

    func action(_ action: AccountCall.Action) -> AccountCall.Action {
        switch action {
        case .listDevices, .kickAll: action
        case .kick(let device): .kick(device: name(device, .device))
        }
    }

    private func operation(_ operation: DeviceOperation) -> DeviceOperation {
        DeviceOperation(
            id: identifier(operation.id), kind: operation.kind, target: name(operation.target, .target),
            ext: text(operation.ext), device: name(operation.device, .device), number: operation.number)
    }

    func item(_ item: SyncItem) -> SyncItem {
        SyncItem(id: identifier(item.id), text: self.item(item.text), number: item.number)
    }

    /// What an attribute is called is the app's, what it says is the user's.
    func attribute(_ field: AnswerField) -> AnswerField {
        AnswerField(name: word(field.name), value: text(field.value))
    }

    func question(_ question: Question) -> Question {
        switch question {
        case .members(let channel): .members(channel: name(channel, .channel))
        case .attributes(let user): .attributes(user: name(user, .user))
        case .channelAttributes(let channel): .channelAttributes(channel: name(channel, .channel))
        }
    }

    func tree(_ request: TreeRequest) -> TreeRequest {
        switch request {
        case .set(let path, let value): .set(path: self.path(path), self.value(value))
        case .update(let path, let value): .update(path: self.path(path), self.value(value))
        case .get(let path): .get(path: self.path(path))
        case .listen(let path): .listen(path: self.path(path))
        case .unlisten(let path): .unlisten(path: self.path(path))
        case .onDisconnect(let path, let value, let merges):
            .onDisconnect(path: self.path(path), self.value(value), merges: merges)
        case .cancelOnDisconnect(let path): .cancelOnDisconnect(path: self.path(path))
        }
    }
}
