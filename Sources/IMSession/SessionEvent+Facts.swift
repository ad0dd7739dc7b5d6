import IMClient
import IMProtocol
import IMServer
import SansIO

// What an event says as names and values, in a fixed order and in words of our own. Dialects add their vendor's.

extension SessionEvent {
    /// What the event says, under the names that filters and JSON use; empty where its kind says all.
    public var facts: [AnswerField] {
        switch content {
        case .header, .clock, .stop, .closing: []
        case .start(let start): start.facts
        case .environment(let action): fields([("command", action.command)])
        case .mark(let text): fields([("text", text)])
        case .keyframe(let bytes): fields([("bytes", String(bytes))])
        case .unreadable(let why): fields([("error", why)])
        case .input(let input): input.facts
        case .effect(let effect): effect.facts
        }
    }
}

private func fields(_ pairs: [(String, String)]) -> [AnswerField] {
    pairs.map { AnswerField(name: $0.0, value: $0.1) }
}

extension StartRecord {
    var facts: [AnswerField] {
        switch body {
        case .client(_, let device, let local, let seed, _, _):
            fields([
                ("profile", profile), ("device", device.id), ("platform", device.platform.name),
                ("last-user", local.lastUser ?? "-"), ("seed", String(seed)),
            ])
        case .server(let machine):
            fields([("profile", profile), ("accounts", String(machine.users.count))])
        }
    }
}

extension NodeInput {
    var facts: [AnswerField] {
        switch self {
        case .frame(_, let frame): frame.facts
        case .unreadable(_, let error): fields([("type", "unreadable"), ("error", error.explanation)])
        case .linkOpened: fields([("link", "opened")])
        case .linkFailed(_, let fault): fields([("link", "failed"), ("fault", fault.name)])
        case .linkClosed(_, let fault): fields([("link", "closed"), ("fault", fault.name)])
        case .deadlineReached: []
        case .network(let change): fields([("network", change.name)])
        case .app(.background): fields([("app", "background")])
        case .app(.foreground): fields([("app", "foreground")])
        case .app(.woke(let slept)):
            fields([("app", "woke"), ("slept-ms", String(slept.inMilliseconds))])
        case .app(.closing): fields([("app", "closing")])
        case .app(.clockSet(let jump)): fields([("clock", "set"), ("by-ms", String(jump.inMilliseconds))])
        case .clientCommand(let id, let command):
            [AnswerField(name: "id", value: String(id.rawValue))] + command.facts
        case .serverCommand(let id, let command):
            [AnswerField(name: "id", value: String(id.rawValue))] + fields(command.pairs)
        }
    }
}

extension NodeEffect {
    var facts: [AnswerField] {
        switch self {
        case .send(_, let frame): return frame.facts
        case .connect: return fields([("link", "connect")])
        case .closeLink: return fields([("link", "close")])
        case .persist(let data):
            return fields([
                ("last-user", data.lastUser ?? "-"), ("last-result", data.lastResult?.name ?? "-"),
                ("autologin", data.autologinAllowed ? "allowed" : "not-allowed"),
            ])
        case .keep(let item):
            return fields([("user", item.user), ("kind", item.kind.name), ("id", item.id), ("text", item.text)])
        case .complete(let id, let completion):
            let rows = completion.rows.flatMap(\.fields)
            return fields([("id", String(id.rawValue)), ("status", completion.status.name)]) + rows
        case .notify(let notification): return notification.facts
        case .transition(let change):
            return fields([("from", change.from.name), ("to", change.to.name), ("reason", change.reason.name)])
        case .presence(let user, let device, let change):
            return fields([("user", user), ("device", device), ("presence", change.name)])
        }
    }
}

extension ClientCommand {
    /// The command's name and arguments.
    public var facts: [AnswerField] {
        switch self {
        case .login(let user, let credential, let mode, _):
            let words: [(String, String)] =
                switch mode {
                case .manual: [("command", "login"), ("user", user)]
                case .automatic: [("command", "autologin"), ("user", user)]
                case .forced: [("command", "autologin"), ("user", user), ("forced", "true")]
                case .resume: [("command", "resume"), ("user", user)]
                case .offline: [("command", "login"), ("user", user), ("offline", "true")]
                case .guest: [("command", "guest"), ("user", user)]
                }
            return fields(words + [("credential", credential)])
        case .logout(let keepsPush): return fields([("command", "logout"), ("keep-push", String(keepsPush))])
        case .renewToken(let credential, _):
            return fields([("command", "renew-token"), ("credential", credential)])
        case .kick(.device(let device)): return fields([("command", "kick"), ("device", device)])
        case .kick(.otherDevices): return fields([("command", "kick"), ("device", "*")])
        case .query(let query): return fields([("command", "query"), ("what", query.name)])
        case .send(let target, let text, let isToChannel):
            return fields(
                [("command", "send"), (isToChannel ? "channel" : "to", target), ("text", text)])
        case .resend: return fields([("command", "resend")])
        case .setAttributes(let channel, let set):
            return fields([("command", "attributes"), ("channel", channel.isEmpty ? "-" : channel)]) + set
        case .ask(let question): return fields([("command", "ask")] + question.pairs)
        case .watch(let user, let isOn):
            return fields([("command", isOn ? "subscribe" : "unsubscribe"), ("user", user)])
        case .accountCall(let user, let credential, let action):
            return fields([("command", action.name), ("user", user), ("credential", credential)] + action.pairs)
        case .operate(let kind, let target, let ext):
            return fields([("command", "act"), ("operation", kind.name), ("target", target), ("ext", ext)])
        case .tree(let request, _): return fields([("command", request.command)] + request.pairs)
        case .goOffline: return fields([("command", "go-offline")])
        case .goOnline: return fields([("command", "go-online")])
        case .join(let channel): return fields([("command", "join"), ("channel", channel)])
        case .leave(let channel): return fields([("command", "leave"), ("channel", channel)])
        case .setOption(.retryCountMax(let count)):
            return fields([("command", "option"), ("maxAutoLoginRetryTimes", String(count))])
        case .setOption(.retryDelays(let delays)):
            let text = delays.map { "\($0.inMilliseconds)ms" }.joined(separator: ",")
            return fields([("command", "option"), ("reconnect-delay", text)])
        }
    }
}

extension ClientNotification {
    var facts: [AnswerField] {
        switch self {
        case .loginStep(let step): fields([("step", step.name)])
        case .autologinFailed(let status): fields([("autologin-failed", status.name)])
        case .kicked(let notice): fields([("kicked", notice.reason.name), ("by", notice.by?.id ?? "-")])
        case .devicesChanged(let change, let devices):
            fields([("devices", "\(change)"), ("ids", devices.map(\.id).joined(separator: ","))])
        case .messageReceived(let message): fields([("message", message.text), ("from", message.from)])
        case .memberChanged(let channel, let user, let joined):
            fields([("channel", channel), ("member", user), ("joined", String(joined))])
        case .tokenExpired: fields([("token", "expired")])
        case .tokenWillExpire(let remaining):
            fields([("token", "will-expire"), ("in-ms", String(remaining))])
        case .autologinCompleted(let status): fields([("autologin", status.name)])
        case .syncStarted: fields([("sync", "started")])
        case .syncFinished: fields([("sync", "finished")])
        case .synced(let phase, let new): fields([("synced", phase.name), ("new", String(new))])
        case .operated(let operation): fields(operation.pairs)
        case .presence(let user, let change): fields([("user", user), ("presence", change.name)])
        case .treeValue(let path, let value): fields([("path", path), ("value", value.text)])
        }
    }
}

extension Frame {
    /// The kind of frame and what is in it.
    public var facts: [AnswerField] {
        fields([("type", body.name)]) + (request == 0 ? [] : fields([("request", String(request))])) + details
    }

    /// What is in it.
    public var details: [AnswerField] {
        // The place of a frame among those of one answer; most answers take one.
        let place = page == 0 && !hasMore ? [] : [("page", String(page)), ("more", String(hasMore))]
        let said = said.map { [("said", String($0.count))] } ?? []
        return fields(place + body.pairs + said)
    }
}

extension FrameBody {
    var pairs: [(String, String)] {
        switch self {
        case .login(let login):
            return [
                ("user", login.user), ("device", login.device.id), ("platform", login.device.platform.name),
                ("mode", "\(login.mode)"), ("epoch", String(login.epoch)), ("credential", login.credential.words),
            ]
        case .loginAck(let reply):
            return [
                ("status", reply.status.name), ("epoch", String(reply.epoch)),
                ("others", reply.otherDevices.map(\.id).joined(separator: ",")), ("was-gone", String(reply.wasGone)),
            ]
        case .logout(let keepsPush): return [("keep-push", String(keepsPush))]
        case .logoutAck(let status), .kickAck(let status), .renewTokenAck(let status, _, _), .operationAck(let status),
            .setAttributesAck(let status), .watchAck(let status):
            return [("status", status.name)]
        case .heartbeat, .heartbeatAck, .sync, .syncDone, .resync: return []
        case .resyncAck(let devices): return [("others", devices.map(\.id).joined(separator: ","))]
        case .kicked(let notice):
            return [
                ("reason", notice.reason.name), ("epoch", String(notice.epoch)), ("by", notice.by?.id ?? "-"),
            ]
        case .kickedAck(let epoch): return [("epoch", String(epoch))]
        case .kick(let device): return [("device", device.isEmpty ? "*" : device)]
        case .syncPhase(let phase, let count, _): return [("phase", "\(phase)"), ("count", String(count))]
        case .devicesChanged(let change, let devices):
            return [("change", "\(change)"), ("ids", devices.map(\.id).joined(separator: ","))]
        case .renewToken(let credential): return [("credential", credential.words)]
        case .tokenNotice(let expired, let remaining):
            return [("expired", String(expired)), ("remaining-ms", String(remaining))]
        case .send(let message), .message(let message):
            return [("id", message.id), ("from", message.from), ("to", message.to), ("text", message.text)]
        case .sendAck(let status, let id): return [("status", status.name), ("id", id)]
        case .messageAck(let id, _): return [("id", id)]
        case .join(let channel), .leave(let channel): return [("channel", channel)]
        case .joinAck(let status, let channel, let members):
            return [("status", status.name), ("channel", channel), ("members", members.joined(separator: ","))]
        case .leaveAck(let status, let channel): return [("status", status.name), ("channel", channel)]
        case .memberChanged(let channel, let user, let joined):
            return [("channel", channel), ("user", user), ("joined", String(joined))]
        case .goodbye(let reason, let detail): return [("reason", reason.name), ("detail", detail)]
        case .accountCall(let call):
            return [("action", call.action.name), ("user", call.user), ("credential", call.credential.words)]
                + call.action.pairs
        case .accountCallAck(let status, let devices):
            return [("status", status.name), ("ids", devices.map(\.id).joined(separator: ","))]
        case .operation(let operation), .operated(let operation): return operation.pairs
        case .operatedAck(let id, _): return [("id", id)]
        case .setAttributes(let channel, let set):
            return [("channel", channel.isEmpty ? "-" : channel)] + set.map { ($0.name, $0.value) }
        case .ask(let question): return question.pairs
        case .answer(let status, let rows):
            return [("status", status.name)] + rows.flatMap(\.fields).map { ($0.name, $0.value) }
        case .watch(let user, let isOn): return [("user", user), ("on", String(isOn))]
        case .presence(let user, let change): return [("user", user), ("presence", change.name)]
        case .tree(let request): return request.pairs
        case .treeAck(let status, let value): return [("status", status.name), ("value", value.text)]
        case .treeData(let path, let value): return [("path", path), ("value", value.text)]
        case .syncAck(let phase, let first, let last):
            return [("phase", "\(phase)"), ("first", String(first)), ("last", String(last))]
        case .settle(let settlement):
            let sets = [
                ("channels", settlement.channels.joined(separator: ",")),
                ("watched", settlement.watched.joined(separator: ",")),
            ]
            return sets + (settlement.attributes ?? []).map { ($0.name, $0.value) }
        case .settleAck(let channels, let watched):
            return [
                ("refused-channels", channels.joined(separator: ",")),
                ("refused-watches", watched.joined(separator: ",")),
            ]
        }
    }
}

extension Question {
    var pairs: [(String, String)] {
        switch self {
        case .members(let channel): [("members", channel)]
        case .attributes(let user): [("attributes", user)]
        case .channelAttributes(let channel): [("channel-attributes", channel)]
        }
    }
}

extension AccountCall.Action {
    var name: String {
        switch self {
        case .listDevices: "list-devices"
        case .kick: "kick-device"
        case .kickAll: "kick-all"
        }
    }

    var pairs: [(String, String)] {
        switch self {
        case .listDevices, .kickAll: []
        case .kick(let device): [("device", device)]
        }
    }
}

extension DeviceOperation {
    var pairs: [(String, String)] {
        [("operation", kind.name), ("target", target), ("ext", ext), ("device", device), ("id", id)]
    }
}

extension TreeRequest {
    /// The word that is typed for it.
    var command: String {
        switch self {
        case .set, .update, .get, .listen, .unlisten: "sync"
        case .onDisconnect, .cancelOnDisconnect: "on-disconnect"
        }
    }

    var pairs: [(String, String)] {
        switch self {
        case .set(let path, let value), .update(let path, let value):
            [("verb", name), ("path", path), ("value", value.text)]
        case .onDisconnect(let path, let value, let merges):
            [("verb", name), ("path", path), ("value", value.text), ("merges", String(merges))]
        case .get(let path), .listen(let path), .unlisten(let path), .cancelOnDisconnect(let path):
            [("verb", name), ("path", path)]
        }
    }
}

extension Credential {
    /// What it is, never what a secret says.
    var words: String {
        switch self {
        case .reference(let name): name.isEmpty ? "none" : name
        case .secret: "(secret)"
        case .verdict(let verdict): "\(verdict.finding)"
        }
    }
}

extension ServerCommand {
    var pairs: [(String, String)] {
        switch self {
        case .addAccount(let user): [("command", "account-add"), ("user", user)]
        case .banAccount(let user): [("command", "account-ban"), ("user", user)]
        case .deleteAccount(let user): [("command", "account-delete"), ("user", user)]
        case .kick(let user, let device):
            [("command", "kick"), ("user", user), ("device", device ?? "*")]
        case .listDevices(let user): [("command", "devices"), ("user", user)]
        case .setPolicy(let key, let value): [("command", "policy"), (key, value)]
        case .shutDown: [("command", "shut-down")]
        case .populate(let user, let amounts):
            [("command", "populate"), ("user", user)] + amounts.map { ($0.phase.name, String($0.count)) }
        case .passwordChanged(let user): [("command", "password-changed"), ("user", user)]
        case .setRefusal(let user, let status):
            [("command", "account-answer"), ("user", user), ("status", status?.name ?? "-")]
        }
    }
}
