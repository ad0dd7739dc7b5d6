import IMClient
import IMProfiles
import IMProtocol
import IMTree
import SansIO
import Testing

/// A client machine for tests. It takes inputs and returns its effects as lines, such as `connect 1`, `send 1
/// heartbeat`, `done 1 ok`, `step linking`, `online > kicked (remote-login)`.
final class ClientTranscript {
    private(set) var machine: ClientMachine
    private(set) var now: Instant
    /// The number of commands so far. The first command has number 1.
    private(set) var commands: UInt32 = 0
    /// The number of completions of each command.
    private(set) var completions: [UInt32: Int] = [:]
    /// The requested connections that neither side has ended.
    private(set) var links: Set<ConnectionID> = []
    /// The connection that was requested last.
    private(set) var link = ConnectionID(0)
    /// The request number of the last frame that the client sent.
    private(set) var request: UInt32 = 0
    /// The local data that the client stored last.
    private(set) var kept: LocalData?
    /// The name of the credential in the client's last login request.
    private(set) var shown: String?
    /// The last message that the client sent.
    private(set) var message: ChatMessage?
    /// The checksum in the client's last heartbeat.
    private(set) var lastChecksum: FrameChecksum?
    /// The checksum of the frames that the server sent over the current connection.
    private var serverChecksum = FrameChecksum()

    init(
        _ policy: ClientPolicy, local: LocalData = LocalData(), platform: Platform = .ios, seed: UInt64 = 1,
        at now: Instant = .zero
    ) {
        machine = ClientMachine(
            policy: policy, device: Device(id: "phone", platform: platform), local: local, seed: seed)
        self.now = now
    }

    /// Creates a copy with the same state. Both continue independently.
    init(copy other: ClientTranscript) {
        machine = other.machine
        now = other.now
        commands = other.commands
        completions = other.completions
        links = other.links
        link = other.link
        request = other.request
        kept = other.kept
        shown = other.shown
        message = other.message
        serverChecksum = other.serverChecksum
    }

    /// True if the lines include the client's requests to the store. Few tests need them.
    var showsData = false
    var dataRequests: [DataRequest] = []

    var state: ClientState { machine.state }

    @discardableResult
    func feed(_ input: ClientInput) -> [String] {
        switch input {
        case .linkFailed(let id, _), .linkClosed(let id, _): links.remove(id)
        case .command, .linkOpened, .frameReceived, .frameUnreadable, .deadlineReached, .networkChanged, .appChanged,
            .dataAnswered:
            break
        }
        return machine.handle(input, at: now).compactMap { effect in
            note(effect)
            if case .data = effect, !showsData { return nil }
            return describe(effect)
        }
    }

    private func note(_ effect: ClientEffect) {
        switch effect {
        case .connect(let id):
            links.insert(id)
            link = id
            serverChecksum = FrameChecksum()
        case .closeLink(let id): links.remove(id)
        case .send(_, let frame):
            if frame.request != 0 { request = frame.request }
            if case .login(let login) = frame.body, case .reference(let name) = login.credential { shown = name }
            if case .send(let message) = frame.body { self.message = message }
            if case .heartbeat = frame.body { lastChecksum = frame.checksum }
        case .complete(let id, _): completions[id.rawValue, default: 0] += 1
        case .persist(let local): kept = local
        case .data(let request): dataRequests.append(request)
        case .keep, .notify, .transition: break
        }
    }

    @discardableResult
    func command(_ command: ClientCommand) -> [String] {
        commands += 1
        return feed(.command(CommandID(commands), command))
    }

    @discardableResult
    func login(
        _ user: String = "alice", _ mode: LoginMode = .manual, expiresAt expiry: Int64 = 0, deviceClock: Int64 = 0
    ) -> [String] {
        let clock = TokenClock(expiresAtMilliseconds: expiry, deviceMilliseconds: deviceClock)
        return command(.login(user: user, credential: "token", mode: mode, clock: clock))
    }

    @discardableResult func logout() -> [String] { command(.logout(keepsPush: false)) }
    @discardableResult func open() -> [String] { feed(.linkOpened(link)) }
    @discardableResult func fail() -> [String] { feed(.linkFailed(link, .networkDown)) }
    @discardableResult func drop() -> [String] { feed(.linkClosed(link, .reset)) }
    /// Advances the time until the first retry. If the retry is not immediate, it comes within 9 s.
    func waitForRetry() { if links.isEmpty { wait(9) } }

    @discardableResult
    func receive(_ body: FrameBody, request: UInt32 = 0) -> [String] {
        let frame = Frame(request: request, body, checksum: body.isHandledInOrder ? serverChecksum : nil)
        serverChecksum.add(frame)
        return feed(.frameReceived(link, frame))
    }

    @discardableResult
    func accept(
        epoch: LoginEpoch = 1, others: [Device] = [], expiresAt expiry: Int64 = 0, serverTime: Int64 = 0,
        wasGone: Bool = false
    ) -> [String] {
        receive(
            .loginAck(
                LoginReply(
                    .ok, epoch: epoch, serverTimeMilliseconds: serverTime, otherDevices: others,
                    expiresAtMilliseconds: expiry, wasGone: wasGone)))
    }

    @discardableResult
    func refuse(_ status: Status) -> [String] { receive(.loginAck(LoginReply(status))) }

    /// Opens a requested connection and completes the login, so that the client is online.
    func succeed(epoch: LoginEpoch = 1) {
        open()
        accept(epoch: epoch)
        if machine.policy.sync == .beforeOnline { receive(.syncDone) }
    }

    func goOnline(_ user: String = "alice", epoch: LoginEpoch = 1) {
        login(user)
        succeed(epoch: epoch)
    }

    /// Advances the time and fires all timers. Each line begins with the seconds since the call.
    @discardableResult
    func wait(_ seconds: Double, answeringHeartbeats: Bool = false) -> [String] {
        let start = now
        let end = now + .milliseconds(Int64((seconds * 1000).rounded()))
        var lines: [String] = []
        while let next = machine.nextDeadline, next <= end {
            now = max(now, next)
            let elapsed = (now - start).inSeconds
            let time = elapsed == elapsed.rounded() ? String(Int(elapsed)) : String(elapsed)
            let found = feed(.deadlineReached)
            lines += found.map { "\(time)s \($0)" }
            if answeringHeartbeats && found.contains("send \(link.rawValue) heartbeat") { receive(.heartbeatAck) }
        }
        now = end
        return lines
    }

    /// Advances the time without firing timers.
    func pass(_ interval: Interval) { now = now + interval }

    /// The answer to a query, by the names of its fields.
    func ask(_ query: ClientQuery) -> [String: String] {
        commands += 1
        completions[commands] = 1
        for effect in machine.handle(.command(CommandID(commands), .query(query)), at: now) {
            if case .complete(_, let completion) = effect {
                let fields = completion.rows.flatMap(\.fields).map { ($0.name, $0.value) }
                return Dictionary(fields + [("status", completion.status.name)]) { first, _ in first }
            }
        }
        return [:]
    }

    /// The answer to a query: a line with the values of each row, or the name of the error.
    func list(_ query: ClientQuery) -> [String] {
        commands += 1
        completions[commands] = 1
        for effect in machine.handle(.command(CommandID(commands), .query(query)), at: now) {
            guard case .complete(_, let completion) = effect else { continue }
            guard completion.status == .ok else { return [completion.status.name] }
            return completion.rows.map { $0.fields.map(\.value).joined(separator: " ") }
        }
        return []
    }

    /// The numbers of the commands that have not completed exactly once.
    var incomplete: [UInt32] {
        (0..<commands).map { $0 + 1 }.filter { completions[$0] != 1 }
    }
}

func describe(_ request: DataRequest) -> String {
    switch request.action {
    case .open(let user): "data \(request.generation) open \(user)"
    case .call(let number, let call): "data \(request.generation) call \(number) \(call.call.name)"
    case .apply(let page):
        "data \(request.generation) apply \(page.changes.map { "\($0.number)" }.joined(separator: ","))"
    case .close: "data \(request.generation) close"
    case .tree(.open): "data \(request.generation) tree open"
    case .tree(.read(let number, let queries)):
        "data \(request.generation) tree read \(number) \(queries.map(String.init).joined(separator: ","))"
    case .tree(.change(let changes)): "data \(request.generation) tree \(changes.map(describe).joined(separator: " "))"
    }
}

private func describe(_ change: TreeStorage.Change) -> String {
    func text(_ number: UInt64, _ parts: [TreeWrite.Part]) -> String {
        "\(number) \(TreeWrite.Change.update(parts))"
    }
    return switch change {
    case .track(let query):
        "track \(query.number) /\(query.path.joined)\(query.isComplete ? " whole" : "")\(query.isActive ? " active" : "")"
    case .forget(let number): "forget \(number)"
    case .put(let number, let parts): "put " + text(number, parts)
    case .amend(let number, let parts): "amend " + text(number, parts)
    case .hold(let write): "hold \(write.id) /\(write.path.joined) \(write.change)"
    case .release(let write): "release \(write)"
    }
}

func describe(_ effect: ClientEffect) -> String {
    switch effect {
    case .connect(let id): "connect \(id.rawValue)"
    case .closeLink(let id): "close \(id.rawValue)"
    case .send(let id, let frame): "send \(id.rawValue) \(describe(frame.body))"
    case .persist(let local):
        "keep \(local.lastUser ?? "-") \(local.lastResult?.name ?? "-")\(local.autologinAllowed ? " autologin" : "")"
    case .keep(let item): "keep \(item.kind.name) \(item.id) of \(item.user)"
    case .data(let request): describe(request)
    case .complete(let id, let completion): "done \(id.rawValue) \(completion.status.name)"
    case .notify(let notification): describe(notification)
    case .transition(let change): "\(change.from.name) > \(change.to.name) (\(change.reason.name))"
    }
}

private func describe(_ notification: ClientNotification) -> String {
    switch notification {
    case .loginStep(let step): "step \(step.name)"
    case .autologinFailed(let status): "autologin-failed \(status.name)"
    case .kicked(let notice): "kicked \(notice.reason.name) by \(notice.by?.id ?? "-")"
    case .devicesChanged(let change, let devices): "devices \(change) \(devices.map(\.id).joined(separator: ","))"
    case .messageReceived(let message): "message \(message.from): \(message.text)"
    case .memberChanged(let channel, let user, let joined): "\(channel) \(user) \(joined ? "joined" : "left")"
    case .tokenExpired: "token-expired"
    case .tokenWillExpire(let remaining): "token-will-expire \(remaining)"
    case .autologinCompleted(let status): "autologin-completed \(status.name)"
    case .syncStarted: "sync-started"
    case .syncFinished: "sync-finished"
    case .synced(let phase, let new): "synced \(phase.name) \(new)"
    case .operated(let operation): "operated \(operation.kind.name) \(operation.target)"
    case .presence(let user, let change): "presence \(user) \(change.name)"
    case .treeValue(let path, let value, _): "\(path) is \(value)"
    case .treeChild(let child): "\(child.path) \(child.kind.name) \(child.key)"
    case .treeCancelled(let path, _, let status): "\(path) cancelled \(status.name)"
    case .dataSync(let state): "data sync \(state.name)"
    case .dataProgress(let done, let all): "progress \(done) of \(all)"
    case .dataChanged(let kind, let name): "changed \(kind.name) \(name)"
    case .linkChanged(let change): "link \(change.from.name) > \(change.to.name)"
    case .dataOpened(let user): "data of \(user) open"
    case .replaced(let notice): "replaced by \(notice.by?.id ?? "-")"
    }
}

private func describe(_ body: FrameBody) -> String {
    switch body {
    case .login(let login): "login \(login.user) \(login.mode) epoch=\(login.epoch)"
    case .logout(let keepsPush): keepsPush ? "logout keeps-push" : "logout"
    case .kickedAck(let epoch): "kicked-ack \(epoch)"
    case .kick(let device): "kick \(device.isEmpty ? "others" : device)"
    case .send(let message): "send \(message.to): \(message.text)"
    case .join(let channel): "join \(channel)"
    case .leave(let channel): "leave \(channel)"
    case .goodbye(let reason, _): "goodbye \(reason.name)"
    case .setAttributes(let channel, let fields):
        "set-attributes \(channel.isEmpty ? "-" : channel) \(fields.map { "\($0.name)=\($0.value)" }.joined(separator: ","))"
    case .watch(let user, let isOn): "\(isOn ? "watch" : "unwatch") \(user)"
    case .settle(let settlement): describe(settlement)
    default: body.name
    }
}

/// A snapshot as text, such as `settle [c] watching [bob] mood=fine`. Attributes are only shown if the snapshot
/// contains them.
private func describe(_ settlement: SubscriptionSnapshot) -> String {
    let attributes = settlement.attributes.map { fields in
        " " + (fields.isEmpty ? "none" : fields.map { "\($0.name)=\($0.value)" }.joined(separator: ","))
    }
    return "settle [\(settlement.channels.joined(separator: ","))] watching "
        + "[\(settlement.watched.joined(separator: ","))]\(attributes ?? "")"
}

/// The phases of a client. `transcript(_:)` returns a client in the phase.
enum ClientPhase: String, CaseIterable, CustomTestStringConvertible {
    case loggedOut, linking, authenticating, syncing, online, waiting, relinking, reauthenticating, leaving, kicked
    case retryingAutologin, tokenExpired

    var testDescription: String { rawValue }

    /// The phases with a login or an attempt to log in.
    static let withLogin = allCases.filter { $0 != .loggedOut && $0 != .kicked && $0 != .tokenExpired }

    func transcript(_ policy: ClientPolicy) -> ClientTranscript {
        let local = LocalData(
            lastUser: "alice", credentialReference: "token", lastEpoch: 1, lastResult: .ok, autologinAllowed: true)
        let transcript = ClientTranscript(policy, local: local)
        switch self {
        case .loggedOut: break
        case .linking: transcript.login()
        case .authenticating:
            transcript.login()
            transcript.open()
        case .syncing:
            transcript.login()
            transcript.open()
            transcript.accept()
        case .online: transcript.goOnline()
        case .waiting:
            transcript.goOnline()
            transcript.drop()
        case .relinking:
            transcript.goOnline()
            transcript.wait(5, answeringHeartbeats: true)
            transcript.drop()
            transcript.waitForRetry()
        case .reauthenticating:
            transcript.goOnline()
            transcript.wait(5, answeringHeartbeats: true)
            transcript.drop()
            transcript.waitForRetry()
            transcript.open()
        case .leaving:
            transcript.goOnline()
            transcript.logout()
        case .kicked:
            transcript.goOnline()
            transcript.receive(.kicked(KickNotice(reason: .otherLogin, epoch: 1)))
        case .retryingAutologin:
            transcript.login("alice", policy.features.contains(.autologin) ? .automatic : .manual)
            transcript.fail()
        case .tokenExpired:
            transcript.goOnline()
            transcript.receive(.tokenNotice(expired: true, remainingMilliseconds: 0))
        }
        return transcript
    }
}

let nim = NIMDialect().clientPolicy
let rtm = AgoraRTMDialect().clientPolicy
let zim = ZIMDialect().clientPolicy
let chat = AgoraChatDialect().clientPolicy
let pad = Device(id: "pad", platform: .ipad, name: "Anna's pad", ext: "kitchen")
