import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// The possible changes of an event, and the errors for changes that are not possible.

extension DecodedSession {
    /// The number of the event that starts the server; 0 if there is none. No fork can start before it.
    var serverStartNumber: UInt64 {
        events.first { event in
            if case .start = event.content { return true }
            return false
        }?.number ?? 0
    }

    /// The reason why an event cannot be muted, changed or delayed; nil if it can.
    public func rejectionReason(toChanging number: UInt64) -> String? {
        guard let event = self[number] else { return "there is no event \(number); the last one is \(events.count)" }
        let position = Int(number) - 1
        switch event.content {
        case .effect:
            let arrival = arrival(ofSent: position).map { "; it arrives at #\($0)" } ?? ""
            return "#\(number) is an effect of \(event.node) after the input #\(inputNumber(of: position))\(arrival): "
                + "change that event"
        case .input(.app(.woke)): return "#\(number) is the end of a sleep: change its 'app sleep' command"
        case .start:
            return number == serverStartNumber ? "#\(number) starts the server: the world needs it" : nil
        case .input, .environment, .stop, .mark:
            guard let cause = cause(ofConsequence: position) else { return nil }
            return "#\(number) is a direct result of the command #\(cause + 1): change that command"
        case .header, .clock, .keyframe, .closing, .unreadable:
            return "#\(number) is not part of the scenario"
        }
    }

    private func inputNumber(of position: Int) -> UInt64 {
        var position = position
        while position > 0, case .effect = events[position].content { position -= 1 }
        return events[position].number
    }

    private func arrival(ofSent position: Int) -> UInt64? {
        guard case .effect(.send(_, let frame)) = events[position].content else { return nil }
        return events[position...].first { event in
            guard case .input(.frame(_, let received)) = event.content, event.node != events[position].node else {
                return false
            }
            return frame.body.credential == nil
                ? received == frame : received.body.name == frame.body.name && received.request == frame.request
        }?.number
    }

    /// The content of an event with one field changed. For a command it only checks that the change is possible, and
    /// returns the content unchanged: ``WhatIf`` changes the ``ForkCause`` instead.
    func edited(_ number: UInt64, _ field: String, _ value: String) throws -> SessionEvent.Content {
        guard let event = self[number] else { throw WorldError("there is no event \(number)") }
        if case .input(.frame(let connection, var frame)) = event.content {
            frame.body = try frame.body.edited(field, value)
            return .input(.frame(connection, frame))
        }
        guard let cause = causes().first(where: { $0.number == number }) else {
            throw WorldError("#\(number) has no fields to change; only frames and commands have fields")
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
                throw WorldError("'\(value)' is not a fault of a recording, such as 'net delay 300ms'")
            }
            return action
        case .mark:
            guard field == "text" else { throw unknown(field, of: "a mark", ["text"]) }
            return .mark(value)
        case .newClient(var start):
            guard case .client(let policy, let device, let local, let seed, let connection, let nonce) = start.body
            else { throw unknown(field, of: "a server's start", []) }
            var editor = FieldEditor(field, value)
            let edited = editor.ownDevice(device)
            guard try editor.hasFound() else { throw unknown(field, of: "a client's start", editor.editable) }
            start.body = .client(
                policy: policy, device: edited, local: local, seed: seed, firstConnection: connection, nonce: nonce)
            return .newClient(start)
        case .app, .serverProcess:
            throw WorldError("#\(number) has no fields to change; it can be muted or delayed")
        }
    }
}

private func unknown(_ field: String, of what: String, _ fields: [String]) -> WorldError {
    let has = fields.isEmpty ? "it has no such field" : "use one of: \(fields.joined(separator: ", "))"
    return WorldError("'\(field)' of \(what) cannot be changed; \(has)")
}

extension ClientCommand {
    fileprivate func edited(_ field: String, _ value: String) throws -> ClientCommand {
        // The field `to` of a message to a channel is named `channel`.
        let isChannel = if case .send(_, _, isToChannel: true) = self { true } else { false }
        var editor = FieldEditor(isChannel && field == "to" ? FieldName.channel.rawValue : field, value)
        let command = visitFields(&editor)
        guard try editor.hasFound() else { throw unknown(field, of: "this command", editor.editable) }
        return command
    }
}

extension ServerCommand {
    fileprivate func edited(_ field: String, _ value: String) throws -> ServerCommand {
        var editor = FieldEditor(field, value)
        let command = visitFields(&editor)
        guard try editor.hasFound() else { throw unknown(field, of: "this command", editor.editable) }
        return command
    }
}

extension FrameBody {
    /// The body with one field changed. The names of the fields are those of ``facts``.
    fileprivate func edited(_ field: String, _ value: String) throws -> FrameBody {
        var editor = FieldEditor(field, value)
        let body = visitFields(&editor)
        guard try editor.hasFound() else {
            let fields = editor.editable.joined(separator: ", ")
            let can = fields.isEmpty ? "it can be muted or delayed" : "use one of: \(fields)"
            throw WorldError("'\(field)' of a \(name) cannot be changed; \(can)")
        }
        return body
    }
}
