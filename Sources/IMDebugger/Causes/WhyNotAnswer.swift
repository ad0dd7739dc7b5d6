import IMProtocol
import Recorder
import SansIO

/// The answer of `why-not`: what kept a condition from holding up to a position.
package struct WhyNotAnswer: Sendable {
    /// A frame that was sent and has not arrived.
    package struct Frame: Sendable {
        /// The event that sent it.
        package var number: UInt64
        /// Who sent it.
        package var node: String
        /// `login-ack`
        package var type: String
        /// False where it is still in flight at the position.
        package var isLost: Bool
        /// Whether the condition would hold if it arrived.
        package var isDecisive: Bool
        /// The event that set the fault which kept it; nil where none did.
        package var fault: UInt64?
    }

    /// A kick that the server keeps until the device confirms it (C-7).
    package struct PendingKick: Sendable {
        package var user: String
        package var device: String
        package var reason: KickReason
        /// The server's input that decided it.
        package var decided: UInt64?
        /// The event that sent it; nil where the device was not connected.
        package var sent: UInt64?
    }

    /// A client that the condition could hold for.
    package struct Client: Sendable {
        package var name: String
        package var state: String
        package var timers: [StateSummary.Timer]
        /// The events since which it cannot reach the server, the newest last.
        package var faults: [UInt64] = []
    }

    /// A timer that would bring it, if nothing arrives before.
    package struct Timer: Sendable {
        package var node: String
        package var name: String
        package var due: Instant
    }

    /// The condition, as it was typed.
    package var condition: String
    /// The client that is asked about; nil for all.
    package var node: String?
    /// The position.
    package var position: UInt64
    /// The newest event for which it holds.
    package var happened: UInt64?
    /// The event that ended the state which ``happened`` began; nil where it lasts, or where it is no state.
    package var ended: UInt64?
    /// Why no event can be like this.
    package var impossible: String?
    /// The event that came nearest, and what it lacks.
    package var nearest: (number: UInt64, shortfalls: [String])?
    /// The frames that have to do with it, the decisive one first.
    package var frames: [Frame] = []
    /// The kicks that the server keeps for the clients, if a kick would make it hold.
    package var pendingKicks: [PendingKick] = []
    /// A login of the same user that ended no other login, if a kick would make it hold.
    package var toleratedLogin: UInt64?
    /// The clients that it could hold for.
    package var clients: [Client] = []
    /// What a client does instead of being in a state that is asked for, in words.
    package var waiting: String?
    /// The timer that would bring it.
    package var timer: Timer?
    /// The rule by which what was found was decided; nil where none is known.
    package var rule: DecidingRule?
    /// The first event after the position for which it holds.
    package var later: UInt64?

    /// Whether it holds, and needs no reason.
    package var holds: Bool { happened != nil && ended == nil }

    /// What keeps it from happening, in words.
    package var blocker: String {
        if let impossible { return impossible }
        if let frame = frames.first, frame.isDecisive {
            let sent = "\(frame.node)'s frame '\(frame.type)' was sent at #\(frame.number)"
            let fault = frame.fault.map { " because of #\($0)" } ?? ""
            return (frame.isLost ? "\(sent) and lost" : "\(sent) and is still in flight") + fault
        }
        if let kick = pendingKicks.first {
            return "the server has decided the kick\(kick.decided.map { " at #\($0)" } ?? ""), "
                + "and has not delivered it to \(kick.device)"
        }
        if let later { return "it comes later, at #\(later)" }
        if let timer {
            return "\(timer.node)'s timer '\(timer.name)' brings it at +\(timer.due.secondsText), "
                + "if nothing arrives before"
        }
        if let waiting { return waiting }
        if let toleratedLogin { return "the login at #\(toleratedLogin) ended no other login" }
        if let nearest, nearest.shortfalls.count == 1 { return "at #\(nearest.number): \(nearest.shortfalls[0])" }
        guard let first = clients.first else { return "no client runs that it could happen to" }
        let faults = first.faults.map { "#\($0)" }.joined(separator: " and ")
        return "\(first.name) is \(first.state)"
            + (faults.isEmpty ? "" : " and cannot reach the server since \(faults)")
    }
}
