import IMProfiles
import IMProtocol
import IMServer
import SansIO

/// A server machine for tests. It takes inputs and returns its effects as lines, such as `1 login-ack ok epoch=1`,
/// `close 1` or `alice/phone online`.
final class ServerTranscript {
    private(set) var machine: ServerMachine
    private(set) var now = Instant.zero
    private var commands: UInt32 = 0
    private var opened: Set<UInt32> = []

    /// The wall clock at the start of a transcript, in milliseconds since 1970.
    static let noon: Int64 = 1_700_000_000_000

    /// The numbers of the messages and operations that the server sent. The outer key is the number of the connection.
    /// The inner key is the id of the message or operation.
    private var numbers: [UInt32: [String: UInt64]] = [:]

    /// The last frame that the server sent over each connection.
    private(set) var last: [UInt32: FrameBody] = [:]

    init(_ policy: ServerPolicy) { machine = ServerMachine(policy: policy, epochMilliseconds: Self.noon) }

    /// Continues from the state of another machine, including its connections.
    init(copy machine: ServerMachine, at now: Instant) {
        self.machine = machine
        self.now = now
    }

    /// Continues as the server's next process, without connections.
    func restart() {
        machine = machine.withoutConnections(at: now)
        opened.removeAll()
    }

    @discardableResult
    func feed(_ input: ServerInput) -> [String] {
        machine.handle(input, at: now).map { effect in
            if case .send(let id, let frame) = effect {
                last[id.rawValue] = frame.body
                switch frame.body {
                case .message(let message): numbers[id.rawValue, default: [:]][message.id] = message.number
                case .operated(let operation): numbers[id.rawValue, default: [:]][operation.id] = operation.number
                default: break
                }
            }
            return describe(effect)
        }
    }

    /// The effects of a frame that arrives over a connection.
    func effects(of id: UInt32, _ frame: Frame) -> [ServerEffect] {
        machine.handle(.frameReceived(ConnectionID(id), frame), at: now)
    }

    @discardableResult
    func open(_ id: UInt32) -> [String] {
        opened.insert(id)
        return feed(.connectionOpened(ConnectionID(id)))
    }

    @discardableResult func close(_ id: UInt32) -> [String] { feed(.connectionClosed(ConnectionID(id))) }

    @discardableResult
    func receive(
        _ id: UInt32, _ body: FrameBody, request: UInt32 = 1, page: UInt32 = 0, hasMore: Bool = false
    ) -> [String] {
        let frame = Frame(request: request, body, page: page, hasMore: hasMore)
        return feed(.frameReceived(ConnectionID(id), frame))
    }

    /// The number with which an item was last sent over a connection; 0 if it was not sent.
    func number(_ id: UInt32, _ name: String) -> UInt64 { numbers[id]?[name] ?? 0 }

    /// Confirms a message to the server.
    @discardableResult
    func confirm(_ id: UInt32, _ name: String) -> [String] {
        receive(id, .messageAck(id: name, number: number(id, name)))
    }

    /// Logs in over a connection, and opens the connection if needed.
    @discardableResult
    func login(
        _ id: UInt32, _ device: String, _ platform: Platform = .ios, user: String = "alice",
        _ mode: LoginMode = .manual, epoch: LoginEpoch = 0, credential: Credential? = nil, expiresAt expiry: Int64 = 0,
        instance: UInt64 = 0
    ) -> [String] {
        if !opened.contains(id) { open(id) }
        let request = LoginRequest(
            application: machine.policy.profile, user: user, device: Device(id: device, platform: platform),
            mode: mode, epoch: epoch,
            credential: credential
                ?? .verdict(
                    CredentialVerdict(
                        .valid, user: user, expiresAtMilliseconds: expiry, issuedAtMilliseconds: wall + 1)),
            instance: instance)
        return receive(id, .login(request))
    }

    /// The current wall clock, in milliseconds since 1970.
    var wall: Int64 { Self.noon + (now - .zero).inMilliseconds }

    /// A credential that is issued now. `finding` is the later result of its check.
    func credential(
        _ finding: CredentialVerdict.Finding = .valid, user: String = "alice", expiresAt expiry: Int64 = 0
    ) -> Credential {
        .verdict(
            CredentialVerdict(finding, user: user, expiresAtMilliseconds: expiry, issuedAtMilliseconds: wall))
    }

    @discardableResult
    func command(_ command: ServerCommand) -> [String] {
        commands += 1
        return feed(.command(CommandID(commands), command))
    }

    @discardableResult
    func wait(_ seconds: Double) -> [String] {
        let start = now
        let end = now + .milliseconds(Int64(seconds * 1000))
        var lines: [String] = []
        while let next = machine.nextDeadline, next <= end {
            now = max(now, next)
            let elapsed = (now - start).inMilliseconds
            lines += feed(.deadlineReached).map { "\(elapsed)ms \($0)" }
        }
        now = end
        return lines
    }

    /// The value of one field for each device of the user, after the device's id.
    func devices(_ field: String, user: String = "alice") -> [String] {
        commands += 1
        for effect in machine.handle(.command(CommandID(commands), .listDevices(user: user)), at: now) {
            if case .complete(_, let answer) = effect {
                return answer.rows.map { row in
                    "\(row.first?.value ?? "") \(row.first { $0.name == field }?.value ?? "")"
                }
            }
        }
        return []
    }
}

func describe(_ effect: ServerEffect) -> String {
    switch effect {
    case .send(let id, let frame): "\(id.rawValue) \(describe(frame.body))"
    case .close(let id): "close \(id.rawValue)"
    case .complete(_, let answer): "done \(answer.status.name)"
    case .presence(let user, let device, let change): "\(user)/\(device) \(change.name)"
    }
}

private func describe(_ body: FrameBody) -> String {
    switch body {
    case .loginAck(let reply): "login-ack \(reply.status.name)\(reply.status == .ok ? " epoch=\(reply.epoch)" : "")"
    case .logoutAck(let status): "logout-ack \(status.name)"
    case .kicked(let notice): "kicked \(notice.reason.name) epoch=\(notice.epoch) by \(notice.by?.id ?? "-")"
    case .kickAck(let status): "kick-ack \(status.name)"
    case .devicesChanged(let change, let devices): "devices \(change) \(devices.map(\.id).joined(separator: ","))"
    case .sendAck(let status, _): "send-ack \(status.name)"
    case .message(let message): "message \(message.from): \(message.text)"
    case .joinAck(let status, _, let members): "join-ack \(status.name) \(members.joined(separator: ","))"
    case .memberChanged(_, let user, let joined): "\(user) \(joined ? "joined" : "left")"
    case .goodbye(let reason, _): "goodbye \(reason.name)"
    case .syncPhase(let phase, let count, let items): "\(phase.name) \(count) \(items.map(\.id).joined(separator: ","))"
    case .tokenNotice(let expired, _): expired ? "token-expired" : "token-will-expire"
    case .renewTokenAck(let status, let expiry, _): "renew-token-ack \(status.name) \(expiry)"
    case .presence(let user, let change): "\(user) is \(change.name)"
    case .setAttributesAck(let status): "set-attributes-ack \(status.name)"
    case .watchAck(let status): "watch-ack \(status.name)"
    case .leaveAck(let status, _): "leave-ack \(status.name)"
    case .operationAck(let status): "operation-ack \(status.name)"
    case .changeAck(let status): "change-ack \(status.name)"
    case .settleAck(let refusedChannels, let refusedUsers):
        "settled, refused [\(refusedChannels.joined(separator: ","))] [\(refusedUsers.joined(separator: ","))]"
    case .answer(let status, let rows):
        "answer \(status.name) \(rows.flatMap(\.fields).map { "\($0.name)=\($0.value)" }.joined(separator: ","))"
    default: body.name
    }
}

let nim = NIMDialect().serverPolicy
let rtm = AgoraRTMDialect().serverPolicy
let zim = ZIMDialect().serverPolicy
let chat = AgoraChatDialect().serverPolicy

extension ServerMachine {
    /// The accounts that the server's host stores.
    var keptAccounts: [(user: String, kept: KeptAccount)] {
        users.compactMap { user in keptAccount(of: user).map { (user, $0) } }
    }
}
