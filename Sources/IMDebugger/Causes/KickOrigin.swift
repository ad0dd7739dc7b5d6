import IMProtocol
import IMServer
import IMSession
import Recorder

/// The origin of a kick, as far as the chain of causes does not contain it. A disconnected device receives a kick at
/// its next contact. Then the device's own login is the cause of the frame with the kick, but not the reason for the
/// kick.
public struct KickOrigin: Equatable, Sendable {
    /// The server's input that decided the kick. Nil if the chain contains this input, or if the recording does not.
    public var decision: UInt64?
    /// The server's input with the login that the kick ended; nil if the recording does not contain it.
    public var endedLogin: UInt64?
}

extension CauseFinder {
    /// The origin of the kick in a chain. Nil if the chain contains no kick that a server of this recording sent.
    func kickOrigin(of chain: [Step]) throws -> KickOrigin? {
        for step in chain {
            let event = try session.timeline.event(step.number)
            guard try session.servers.contains(event.node),
                case .effect(.send(_, let frame)) = session.decoded(event).content,
                case .kicked(let notice) = frame.body
            else { continue }
            guard let login = try login(endedBy: event) else { return nil }
            var search = KickSearch(notice: notice, user: login.user, device: login.device.id)
            try session.timeline.scan(after: 0, upTo: step.number) { view in
                guard view.node == event.node, view.role == .input || view.role == .effect else { return true }
                guard view.channel == .transport || view.channel == .sdk else { return true }
                search.take(session.decoded(view), stream: view.stream)
                return true
            }
            let numbers = Set(chain.map(\.number))
            let isKnown = search.decision.map { numbers.contains($0) } ?? true
            return KickOrigin(decision: isKnown ? nil : search.decision, endedLogin: search.endedLogin)
        }
        return nil
    }

    /// The login that a kick ended: the last login over the connection over which the kick was sent.
    private func login(endedBy kick: Event) throws -> LoginRequest? {
        let login = try session.timeline.last(before: kick.number) { view in
            guard view.node == kick.node, view.stream == kick.stream, view.role == .input, view.channel == .transport,
                case .input(.frame(_, let frame)) = session.decoded(view).content, case .login = frame.body
            else { return false }
            return true
        }
        guard let login, case .input(.frame(_, let frame)) = session.decoded(login).content,
            case .login(let request) = frame.body
        else { return nil }
        return request
    }
}

/// Reads a server's inputs and effects up to a kick, and finds the input that decided the kick.
private struct KickSearch {
    let notice: KickNotice
    let user: String
    let device: String
    var decision: UInt64?
    var endedLogin: UInt64?
    /// The login in the current input, and the number of its event; nil for another input.
    private var current: (number: UInt64, login: LoginRequest)?
    /// For each connection, the last login that arrived over it.
    private var logins: [UInt32: LoginRequest] = [:]

    init(notice: KickNotice, user: String, device: String) {
        self.notice = notice
        self.user = user
        self.device = device
    }

    mutating func take(_ event: SessionEvent, stream: UInt32) {
        switch event.content {
        case .input(.frame(_, let frame)): take(frame, event.number, stream)
        case .input(.serverCommand(_, let command)):
            current = nil
            if kicks(command) { decision = event.number }
        case .effect(.send(_, let frame)):
            guard case .loginAck(let reply) = frame.body, reply.status == .ok, let current else { return }
            accepted(current.login, current.number, reply.epoch)
        default: break
        }
    }

    private mutating func take(_ frame: Frame, _ number: UInt64, _ stream: UInt32) {
        current = nil
        switch frame.body {
        case .login(let request):
            logins[stream] = request
            current = (number, request)
        case .accountCall(let call) where notice.reason == .otherDevice && call.user == user:
            if call.kicks(device) { decision = number }
        case .kick where notice.reason == .otherDevice:
            if let login = logins[stream], login.user == user, login.device.id == notice.by?.id { decision = number }
        default: break
        }
    }

    private mutating func accepted(_ login: LoginRequest, _ number: UInt64, _ epoch: LoginEpoch) {
        // A login as another user cannot have ended this login, even on the same device.
        guard login.user == user else { return }
        if login.device.id == device, epoch == notice.epoch {
            // This is the login that the kick ended, so the decision is a later input.
            (endedLogin, decision) = (number, nil)
        } else if notice.reason == .otherLogin, login.device.id == notice.by?.id, decision == nil {
            decision = number
        }
    }

    private func kicks(_ command: ServerCommand) -> Bool {
        switch (notice.reason, command) {
        case (.server, .kick(let user, _)), (.banned, .banAccount(let user)),
            (.accountRemoved, .deleteAccount(let user)), (.passwordChanged, .passwordChanged(let user)),
            (.passwordChanged, .revokeTokens(let user)):
            user == self.user
        default: false
        }
    }
}

extension AccountCall {
    /// True if the call kicks the device.
    fileprivate func kicks(_ id: String) -> Bool {
        switch action {
        case .listDevices: false
        case .kick(let device): device == id
        case .kickAll: true
        }
    }
}
