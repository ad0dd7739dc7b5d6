import IMClient
import IMScript
import IMSession

/// A recording at a peek: what went wrong first, and how it ended.
package struct ReportSummary {
    private var kick: Moment?
    private var failure: Moment?
    private var endings: [(node: String, state: String)] = []

    fileprivate struct Moment {
        var number: UInt64
        var line: String
    }

    /// - Throws: `SessionError` where the recording is damaged.
    package init(_ session: ExportedSession) throws {
        try session.forEach { _, event, formatted, _ in note(event, formatted.text) }
    }

    /// The event to go to: the first kick, for want of one the first failure.
    package var moment: UInt64? { (kick ?? failure)?.number }

    /// One line each.
    package var lines: [String] {
        var lines: [String] = []
        if let kick { lines.append("first kick: \(kick.line)") }
        if let failure, kick.map({ failure.number < $0.number }) ?? true {
            lines.append("first failure: \(failure.line)")
        }
        if lines.isEmpty { lines.append("no kick, no failure") }
        if !endings.isEmpty {
            lines.append("it ends: \(endings.map { "\($0.node) \($0.state)" }.joined(separator: ", "))")
        }
        return lines
    }

    private mutating func note(_ event: SessionEvent, _ text: String) {
        switch event.content {
        case .start(let start):
            if !start.isServer { end(event.node, in: ClientState.loggedOut.name) }
        case .stop:
            if endings.contains(where: { $0.node == event.node }) { end(event.node, in: "without a process") }
        case .effect(.transition(let change)):
            end(event.node, in: change.to.name)
            if change.to == .kicked {
                kick = kick ?? Moment(event, text)
            } else if change.reason.isFailure {
                failure = failure ?? Moment(event, text)
            }
        case .effect(.complete(_, let completion)):
            if completion.status != .ok, completion.status != .stored { failure = failure ?? Moment(event, text) }
        case .input(.unreadable), .input(.linkFailed): failure = failure ?? Moment(event, text)
        case .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable, .input, .effect: break
        }
    }

    private mutating func end(_ node: String, in state: String) {
        if let place = endings.firstIndex(where: { $0.node == node }) {
            endings[place].state = state
        } else {
            endings.append((node, state))
        }
    }
}

extension ReportSummary.Moment {
    fileprivate init(_ event: SessionEvent, _ text: String) {
        self.init(number: event.number, line: "#\(event.number) +\(event.time.secondsText) \(event.node) \(text)")
    }
}

extension StateReason {
    /// Whether nobody who uses the app wanted it.
    fileprivate var isFailure: Bool {
        switch self {
        case .loginFailed, .loginTimedOut, .interrupted, .remoteLogin, .kickedByServer, .kickedByOtherDevice, .banned,
            .tokenExpired, .accountRemoved, .passwordChanged:
            true
        case .login, .loginSucceeded, .syncFinished, .retrying, .logout, .wentOffline: false
        }
    }
}
