import Foundation
import IMClient
import IMProtocol
import IMServer
import SansIO
import SwiftProtobuf

// Converts commands, results and other parts of events to and from the generated types of records.

extension FrameError {
    var record: WireUnreadable {
        .with {
            switch self {
            case .tooLarge: $0.error = 1
            case .notProtobuf: $0.error = 2
            case .emptyFrame: $0.error = 3
            case .invalidField(let name):
                $0.error = 4
                $0.field = name
            }
        }
    }

    init(_ record: WireUnreadable) {
        switch record.error {
        case 1: self = .tooLarge
        case 3: self = .emptyFrame
        case 4: self = .invalidField(record.field)
        default: self = .notProtobuf
        }
    }
}

extension AppChange {
    var record: WireAppChange {
        .with {
            switch self {
            case .background: $0.change = 1
            case .foreground: $0.change = 2
            case .woke(let slept):
                $0.change = 3
                $0.sleptNanoseconds = slept.nanoseconds
            case .clockSet(let jump):
                $0.change = 4
                $0.clockJumpNanoseconds = jump.nanoseconds
            case .closing: $0.change = 5
            }
        }
    }

    init(_ record: WireAppChange) throws {
        switch record.change {
        case 1: self = .background
        case 2: self = .foreground
        case 3: self = .woke(slept: Interval(nanoseconds: record.sleptNanoseconds))
        case 4: self = .clockSet(by: Interval(nanoseconds: record.clockJumpNanoseconds))
        case 5: self = .closing
        default: throw RecordError.unreadable("it has an unknown change of the app, \(record.change)")
        }
    }
}

extension ClientCommand {
    func record(_ id: CommandID) -> WireClientCommand {
        .with {
            $0.id = id.rawValue
            switch self {
            case .login(let call):
                $0.login = .with {
                    $0.user = call.user
                    $0.credential = call.credential
                    $0.mode = UInt32(call.mode.rawValue)
                    $0.expiresAtMs = call.clock.expiresAtMilliseconds
                    $0.deviceClockMs = call.clock.deviceMilliseconds
                    $0.userName = call.userName
                }
            case .logout(let keepsPush): $0.logoutKeepingPush = keepsPush
            case .kick(.device(let device)): $0.kick = device
            case .kick(.otherDevices): $0.kick = ""
            case .query(let query): $0.query = UInt32(query.rawValue)
            case .send(let target, let text, let isToChannel):
                $0.send = .with {
                    $0.to = target
                    $0.text = text
                    $0.toChannel = isToChannel
                }
            case .join(let channel): $0.join = channel
            case .leave(let channel): $0.leave = channel
            case .setOption(.retryCountMax(let count)): $0.retryCountMax = Int64(count)
            case .setOption(.retryDelays(let delays)):
                $0.retryDelays = .with { $0.nanoseconds = delays.map(\.nanoseconds) }
            case .renewToken, .resend, .setAttributes, .ask, .watch, .accountCall, .operate, .tree, .call, .change,
                .goOffline, .goOnline:
                $0.json = CanonicalJSON.data(of: self)
            }
        }
    }

    init(_ record: WireClientCommand) throws {
        switch record.kind {
        case .login(let login):
            self = .login(
                user: login.user, credential: login.credential,
                mode: try RecordCodec.value(login.mode, "login mode"),
                clock: TokenClock(
                    expiresAtMilliseconds: login.expiresAtMs, deviceMilliseconds: login.deviceClockMs),
                userName: login.userName)
        case .logoutKeepingPush(let keepsPush): self = .logout(keepsPush: keepsPush)
        case .renewToken(let credential): self = .renewToken(credential: credential)
        case .json(let json): self = try CanonicalJSON.decode(ClientCommand.self, from: Array(json))
        case .kick(let device): self = .kick(device.isEmpty ? .otherDevices : .device(device))
        case .query(let query): self = .query(try RecordCodec.value(query, "query"))
        case .send(let send): self = .send(to: send.to, text: send.text, isToChannel: send.toChannel)
        case .join(let channel): self = .join(channel: channel)
        case .leave(let channel): self = .leave(channel: channel)
        case .retryCountMax(let count): self = .setOption(.retryCountMax(Int(clamping: count)))
        case .retryDelays(let delays):
            self = .setOption(.retryDelays(delays.nanoseconds.map(Interval.init(nanoseconds:))))
        case nil: throw RecordError.unreadable("it has a command that this version does not know")
        }
    }
}

extension ServerCommand {
    func record(_ id: CommandID) -> WireServerCommand {
        .with {
            $0.id = id.rawValue
            switch self {
            case .addAccount(let user): $0.addAccount = user
            case .banAccount(let user): $0.banAccount = user
            case .deleteAccount(let user): $0.deleteAccount = user
            case .kick(let user, let device):
                $0.kick = .with {
                    $0.user = user
                    $0.device = device ?? ""
                }
            case .listDevices(let user): $0.listDevices = user
            case .setPolicy(let key, let value):
                $0.policy = .with {
                    $0.key = key
                    $0.value = value
                }
            case .shutDown: $0.shutDown = true
            case .populate, .passwordChanged, .revokeTokens, .putChange, .populateData, .setRefusal, .setTreeRule,
                .listTreeRules:
                $0.json = CanonicalJSON.data(of: self)
            }
        }
    }

    init(_ record: WireServerCommand) throws {
        switch record.kind {
        case .addAccount(let user): self = .addAccount(user)
        case .banAccount(let user): self = .banAccount(user)
        case .deleteAccount(let user): self = .deleteAccount(user)
        case .kick(let kick): self = .kick(user: kick.user, device: kick.device.isEmpty ? nil : kick.device)
        case .listDevices(let user): self = .listDevices(user: user)
        case .policy(let policy): self = .setPolicy(key: policy.key, value: policy.value)
        case .shutDown: self = .shutDown
        case .json(let json): self = try CanonicalJSON.decode(ServerCommand.self, from: Array(json))
        case nil: throw RecordError.unreadable("it has a command that this version does not know")
        }
    }
}

extension Completion {
    func record(_ id: CommandID) -> WireCompletion {
        .with {
            $0.id = id.rawValue
            $0.status = UInt32(status.rawValue)
            $0.rows = rows.map { row in
                .with {
                    $0.fields = row.fields.map { field in
                        .with {
                            $0.name = field.name
                            $0.value = field.value
                        }
                    }
                }
            }
        }
    }

    init(_ record: WireCompletion) throws {
        self.init(
            try RecordCodec.value(record.status, "status"),
            rows: record.rows.map { row in AnswerRow(row.fields.map { ($0.name, $0.value) }) })
    }
}

extension LocalData {
    var record: WireLocalData {
        .with {
            $0.lastUser = lastUser ?? ""
            $0.hasLastUser_p = lastUser != nil
            $0.credential = credentialReference
            $0.lastEpoch = lastEpoch
            $0.lastResult = lastResult.map { UInt32($0.rawValue) + 1 } ?? 0
            $0.autologinAllowed = autologinAllowed
            $0.expiresAtMs = expiresAtMilliseconds
            $0.received = received.users.map { received in
                .with {
                    $0.user = received.user
                    $0.json = CanonicalJSON.data(of: received.numbers)
                }
            }
            $0.unsent = unsent.changes.map { unsent in
                .with {
                    $0.user = unsent.user
                    $0.frame = Data(Frame(.change(unsent.change)).bytes())
                }
            }
        }
    }

    init(_ record: WireLocalData) throws {
        self.init(
            lastUser: record.hasLastUser_p ? record.lastUser : nil, credentialReference: record.credential,
            expiresAtMilliseconds: record.expiresAtMs, lastEpoch: record.lastEpoch,
            lastResult: record.lastResult == 0 ? nil : try RecordCodec.value(record.lastResult - 1, "status"),
            autologinAllowed: record.autologinAllowed,
            received: ReceivedNumbers(
                users: try record.received.map {
                    .init(
                        user: $0.user,
                        numbers: try CanonicalJSON.decode(ReceivedNumbers.Numbers.self, from: Array($0.json)))
                }),
            unsent: UnsentChanges(changes: try record.unsent.map { try UnsentChanges.Change($0) }))
    }
}

extension UnsentChanges.Change {
    fileprivate init(_ record: WireUnsent) throws {
        guard case .change(let change) = try Frame(bytes: Array(record.frame)).body else {
            throw RecordError.unreadable("its change is invalid")
        }
        self.init(user: record.user, change: change)
    }
}

extension LocalItem {
    var record: WireLocalItem {
        .with {
            $0.user = user
            $0.kind = UInt32(kind.rawValue)
            $0.id = id
            $0.text = text
        }
    }

    init(_ record: WireLocalItem) throws {
        self.init(
            user: record.user, kind: try RecordCodec.value(record.kind, "kind of local data"), id: record.id,
            text: record.text)
    }
}

extension ClientNotification {
    var record: WireNotification {
        .with {
            switch self {
            case .loginStep(let step): $0.loginStep = UInt32(step.rawValue)
            case .autologinFailed(let status): $0.autologinFailed = UInt32(status.rawValue)
            case .kicked(let notice): $0.frame = Data(Frame(.kicked(notice)).bytes())
            case .devicesChanged(let change, let devices):
                $0.frame = Data(Frame(.devicesChanged(change, devices)).bytes())
            case .messageReceived(let message): $0.frame = Data(Frame(.message(message)).bytes())
            case .memberChanged(let channel, let user, let joined):
                $0.frame = Data(Frame(.memberChanged(channel: channel, user: user, joined: joined)).bytes())
            case .tokenExpired:
                $0.frame = Data(Frame(.tokenNotice(expired: true, remainingMilliseconds: 0)).bytes())
            case .tokenWillExpire(let remaining):
                $0.frame = Data(Frame(.tokenNotice(expired: false, remainingMilliseconds: remaining)).bytes())
            case .autologinCompleted, .syncStarted, .syncFinished, .synced, .operated, .presence, .treeValue,
                .treeChild, .treeCancelled, .dataSync, .dataChanged, .dataProgress, .linkChanged, .dataOpened,
                .replaced:
                $0.json = CanonicalJSON.data(of: self)
            }
        }
    }

    init(_ record: WireNotification) throws {
        switch record.kind {
        case .loginStep(let step): self = .loginStep(try RecordCodec.value(step, "login step"))
        case .autologinFailed(let status): self = .autologinFailed(try RecordCodec.value(status, "status"))
        case .frame(let bytes):
            switch try bytes.withUnsafeBytes({ try RecordCodec.frame($0) }).body {
            case .kicked(let notice): self = .kicked(notice)
            case .devicesChanged(let change, let devices): self = .devicesChanged(change, devices)
            case .message(let message): self = .messageReceived(message)
            case .memberChanged(let channel, let user, let joined):
                self = .memberChanged(channel: channel, user: user, joined: joined)
            case .tokenNotice(let expired, let remaining):
                self = expired ? .tokenExpired : .tokenWillExpire(inMilliseconds: remaining)
            default: throw RecordError.unreadable("its frame contains no notification")
            }
        case .json(let json): self = try CanonicalJSON.decode(ClientNotification.self, from: Array(json))
        case nil: throw RecordError.unreadable("it has a notification that this version does not know")
        }
    }
}
