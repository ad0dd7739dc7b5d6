import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// What can be done to an event, and what to say where it cannot.

extension DecodedSession {
    /// The number of the server's start: there is no world before it.
    var firstPlace: UInt64 {
        events.first { event in
            if case .start = event.content { return true }
            return false
        }?.number ?? 0
    }

    /// Why an event cannot be left out, changed or be late; nil when it can.
    public func objection(toChanging number: UInt64) -> String? {
        guard let event = self[number] else { return "there is no event \(number); the last one is \(events.count)" }
        let place = Int(number) - 1
        switch event.content {
        case .effect:
            let arrival = arrival(ofSent: place).map { "; it arrives at #\($0)" } ?? ""
            return "#\(number) is what \(event.node) did in answer to #\(inputNumber(of: place))\(arrival): "
                + "change that one"
        case .input(.app(.woke)): return "#\(number) is the end of a sleep: change the 'app sleep' that began it"
        case .start:
            return number == firstPlace ? "#\(number) begins the world: without it there is nothing" : nil
        case .input, .environment, .stop, .mark:
            guard let cause = cause(ofConsequence: place) else { return nil }
            return "#\(number) follows at once from what the user did at #\(cause + 1): change that one"
        case .header, .clock, .keyframe, .closing, .unreadable:
            return "#\(number) is the file's own and no part of the scenario"
        }
    }

    private func inputNumber(of place: Int) -> UInt64 {
        var place = place
        while place > 0, case .effect = events[place].content { place -= 1 }
        return events[place].number
    }

    private func arrival(ofSent place: Int) -> UInt64? {
        guard case .effect(.send(_, let frame)) = events[place].content else { return nil }
        return events[place...].first { event in
            guard case .input(.frame(_, let seen)) = event.content, event.node != events[place].node else {
                return false
            }
            return frame.body.credential == nil
                ? seen == frame : seen.body.name == frame.body.name && seen.request == frame.request
        }?.number
    }

    /// An event with a field changed.
    func edited(_ number: UInt64, _ field: String, _ value: String) throws -> SessionEvent.Content {
        guard let event = self[number] else { throw WorldError("there is no event \(number)") }
        if case .input(.frame(let connection, var frame)) = event.content {
            frame.body = try frame.body.edited(field, value)
            return .input(.frame(connection, frame))
        }
        guard let cause = causes().first(where: { $0.number == number }) else {
            throw WorldError("#\(number) has no fields that can be changed: frames and commands have")
        }
        _ = try cause.edited(field, value)
        return event.content
    }
}

extension ForkCause {
    func edited(_ field: String, _ value: String) throws -> Action {
        switch action {
        case .client(let command): return .client(try command.edited(field, value))
        case .server(let command): return .server(try command.edited(field, value))
        case .net, .skew, .app(.sleep):
            guard field == "command" else { throw unknown(field, of: "a fault", ["command"]) }
            guard let action = EnvironmentAction(typed: value).flatMap(Action.init) else {
                throw WorldError("'\(value)' is no fault as a recording has it, such as 'net delay 300ms'")
            }
            return action
        case .mark:
            guard field == "text" else { throw unknown(field, of: "a mark", ["text"]) }
            return .mark(value)
        case .newClient, .app, .serverProcess:
            throw WorldError("#\(number) has no fields that can be changed; it can be muted or delayed")
        }
    }
}

private func unknown(_ field: String, of what: String, _ fields: [String]) -> WorldError {
    let has = fields.isEmpty ? "nothing of it can be" : "\(fields.joined(separator: ", ")) can be"
    return WorldError("'\(field)' of \(what) cannot be changed: \(has)")
}

private func choice<Value: CaseIterable>(
    _ value: String, _ field: String, _ name: (Value) -> String
) throws -> Value {
    if let found = Value.allCases.first(where: { name($0) == value }) { return found }
    let names = Value.allCases.map(name).joined(separator: ", ")
    throw WorldError("\(field) cannot be '\(value)': \(names)")
}

private func number<Value: FixedWidthInteger>(_ value: String, _ field: String, _ type: Value.Type) throws -> Value {
    guard let number = Value(value) else { throw WorldError("\(field) takes a whole number, not '\(value)'") }
    return number
}

private func truth(_ value: String, _ field: String) throws -> Bool {
    guard let truth = Bool(value) else { throw WorldError("\(field) takes true or false, not '\(value)'") }
    return truth
}

extension ClientCommand {
    fileprivate func edited(_ field: String, _ value: String) throws -> ClientCommand {
        switch (self, field) {
        case (.login(_, let credential, let mode, let clock), "user"):
            return .login(user: value, credential: credential, mode: mode, clock: clock)
        case (.login(let user, _, let mode, let clock), "credential"):
            return .login(user: user, credential: value, mode: mode, clock: clock)
        case (.logout, "keep-push"): return .logout(keepsPush: try truth(value, field))
        case (.kick, "device"): return .kick(value == "*" ? .otherDevices : .device(value))
        case (.send(_, let text, let isToChannel), "to"), (.send(_, let text, let isToChannel), "channel"):
            return .send(to: value, text: text, isToChannel: isToChannel)
        case (.send(let to, _, let isToChannel), "text"): return .send(to: to, text: value, isToChannel: isToChannel)
        case (.join, "channel"): return .join(channel: value)
        case (.leave, "channel"): return .leave(channel: value)
        case (.watch(_, let isOn), "user"): return .watch(user: value, isOn: isOn)
        case (.accountCall(_, let credential, let action), "user"):
            return .accountCall(user: value, credential: credential, action)
        default:
            let fields: [String] =
                switch self {
                case .login: ["user", "credential"]
                case .logout: ["keep-push"]
                case .kick: ["device"]
                case .send: ["to", "text"]
                case .join, .leave: ["channel"]
                case .watch, .accountCall: ["user"]
                default: []
                }
            throw unknown(field, of: "this command", fields)
        }
    }
}

extension ServerCommand {
    fileprivate func edited(_ field: String, _ value: String) throws -> ServerCommand {
        switch (self, field) {
        case (.addAccount, "user"): return .addAccount(value)
        case (.banAccount, "user"): return .banAccount(value)
        case (.deleteAccount, "user"): return .deleteAccount(value)
        case (.kick(_, let device), "user"): return .kick(user: value, device: device)
        case (.kick(let user, _), "device"): return .kick(user: user, device: value == "*" ? nil : value)
        case (.listDevices, "user"): return .listDevices(user: value)
        case (.setPolicy(let key, _), _) where key == field: return .setPolicy(key: key, value: value)
        case (.populate(_, let amounts), "user"): return .populate(user: value, amounts)
        case (.passwordChanged, "user"): return .passwordChanged(user: value)
        case (.setRefusal(_, let status), "user"): return .setRefusal(user: value, status)
        default:
            let fields: [String] =
                switch self {
                case .setPolicy(let key, _): [key]
                case .kick: ["user", "device"]
                case .shutDown: []
                default: ["user"]
                }
            throw unknown(field, of: "this command", fields)
        }
    }
}

extension FrameBody {
    /// The same with a field changed; the fields are those that ``facts`` shows.
    fileprivate func edited(_ field: String, _ value: String) throws -> FrameBody {
        func status() throws -> Status { try choice(value, field) { (status: Status) in status.name } }
        switch (self, field) {
        case (.loginAck(var reply), "status"):
            reply.status = try status()
            return .loginAck(reply)
        case (.loginAck(var reply), "epoch"):
            reply.epoch = LoginEpoch(try number(value, field, UInt64.self))
            return .loginAck(reply)
        case (.loginAck(var reply), "was-gone"):
            reply.wasGone = try truth(value, field)
            return .loginAck(reply)
        case (.login(var login), "epoch"):
            login.epoch = LoginEpoch(try number(value, field, UInt64.self))
            return .login(login)
        case (.login(var login), "user"):
            login.user = value
            return .login(login)
        case (.logoutAck, "status"): return .logoutAck(try status())
        case (.kickAck, "status"): return .kickAck(try status())
        case (.operationAck, "status"): return .operationAck(try status())
        case (.setAttributesAck, "status"): return .setAttributesAck(try status())
        case (.watchAck, "status"): return .watchAck(try status())
        case (.sendAck(_, let id), "status"): return .sendAck(try status(), id: id)
        case (.joinAck(_, let channel, let members), "status"):
            return .joinAck(try status(), channel: channel, members: members)
        case (.leaveAck(_, let channel), "status"): return .leaveAck(try status(), channel: channel)
        case (.kicked(var notice), "reason"):
            notice.reason = try choice(value, field) { (reason: KickReason) in reason.name }
            return .kicked(notice)
        case (.kicked(var notice), "epoch"):
            notice.epoch = LoginEpoch(try number(value, field, UInt64.self))
            return .kicked(notice)
        case (.kickedAck, "epoch"): return .kickedAck(epoch: LoginEpoch(try number(value, field, UInt64.self)))
        case (.kick, "device"): return .kick(device: value == "*" ? "" : value)
        case (.logout, "keep-push"): return .logout(keepsPush: try truth(value, field))
        case (.tokenNotice(_, let remaining), "expired"):
            return .tokenNotice(expired: try truth(value, field), remainingMilliseconds: remaining)
        case (.send(var message), "text"):
            message.text = value
            return .send(message)
        case (.message(var message), "text"):
            message.text = value
            return .message(message)
        case (.message(var message), "from"):
            message.from = value
            return .message(message)
        case (.send(var message), "to"):
            message.to = value
            return .send(message)
        case (.goodbye(_, let detail), "reason"):
            return .goodbye(try choice(value, field) { (reason: GoodbyeReason) in reason.name }, detail: detail)
        case (.presence(let user, _), "presence"):
            return .presence(user: user, try choice(value, field) { (change: PresenceChange) in change.name })
        default:
            throw WorldError("'\(field)' of a \(name) cannot be changed; \(editable)")
        }
    }

    private var editable: String {
        let fields: [String] =
            switch self {
            case .loginAck: ["status", "epoch", "was-gone"]
            case .login: ["user", "epoch"]
            case .logoutAck, .kickAck, .operationAck, .setAttributesAck, .watchAck, .sendAck, .joinAck, .leaveAck:
                ["status"]
            case .kicked: ["reason", "epoch"]
            case .kickedAck: ["epoch"]
            case .kick: ["device"]
            case .logout: ["keep-push"]
            case .tokenNotice: ["expired"]
            case .send: ["to", "text"]
            case .message: ["from", "text"]
            case .goodbye: ["reason"]
            case .presence: ["presence"]
            default: []
            }
        return fields.isEmpty ? "it can be muted or delayed" : "what can: \(fields.joined(separator: ", "))"
    }
}
