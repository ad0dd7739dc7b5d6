import IMClient
import IMDebugger
import IMSession

/// A short summary of a recording: the first kick, the first failure before it, and the final state of each client.
package struct ReportSummary {
    private var kick: SummaryEvent?
    private var failure: SummaryEvent?
    private var states = NodeStates<String>()

    fileprivate struct SummaryEvent {
        var number: UInt64
        var line: String
    }

    /// - Throws: `SessionError` if the recording is damaged.
    package init(_ session: ExportedSession) throws {
        try session.forEach { _, event, formatted, _ in note(event, formatted.text) }
    }

    /// The number of the most important event: the first kick, or else the first failure.
    package var moment: UInt64? { (kick ?? failure)?.number }

    /// The summary, with one statement on each line.
    package var lines: [String] {
        var lines: [String] = []
        if let kick { lines.append("first kick: \(kick.line)") }
        if let failure, kick.map({ failure.number < $0.number }) ?? true {
            lines.append("first failure: \(failure.line)")
        }
        if lines.isEmpty { lines.append("no kick, no failure") }
        let endings = states.clients.map { "\($0.node) \($0.state?.name ?? "without a process")" }
        if !endings.isEmpty { lines.append("it ends: \(endings.joined(separator: ", "))") }
        return lines
    }

    private mutating func note(_ event: SessionEvent, _ text: String) {
        states.note(event)
        switch event.content {
        case .effect(.transition(let change)):
            if change.to == .kicked {
                kick = kick ?? SummaryEvent(event, text)
            } else if change.reason.isFailure {
                failure = failure ?? SummaryEvent(event, text)
            }
        case .effect(.complete(_, let completion)):
            if completion.status != .ok, completion.status != .stored { failure = failure ?? SummaryEvent(event, text) }
        case .environment(.observed(let seen)) where seen.isKick: kick = kick ?? SummaryEvent(event, text)
        case .input(.unreadable), .input(.linkFailed): failure = failure ?? SummaryEvent(event, text)
        case .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable, .input, .effect:
            break
        }
    }
}

extension ReportSummary.SummaryEvent {
    fileprivate init(_ event: SessionEvent, _ text: String) {
        self.init(number: event.number, line: "#\(event.number) +\(event.time.secondsText) \(event.node) \(text)")
    }
}

extension StateReason {
    /// True for a reason that the user of the app did not intend.
    fileprivate var isFailure: Bool {
        switch self {
        case .loginFailed, .loginTimedOut, .interrupted, .remoteLogin, .kickedByServer, .kickedByOtherDevice, .banned,
            .tokenExpired, .accountRemoved, .passwordChanged, .credentialRefused:
            true
        case .login, .loginSucceeded, .syncFinished, .retrying, .logout, .wentOffline: false
        }
    }
}
