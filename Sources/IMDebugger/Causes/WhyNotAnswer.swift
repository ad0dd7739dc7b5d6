import IMProtocol
import Recorder
import SansIO

/// The answer of `why-not`: why a condition has not held up to a position.
package struct WhyNotAnswer: Sendable {
    /// A frame that was sent and has not arrived.
    package struct Frame: Sendable {
        /// The event that sent it.
        package var number: UInt64
        /// The node that sent it.
        package var node: String
        /// `login-ack`
        package var type: String
        /// False if it is still in flight at the position.
        package var isLost: Bool
        /// True if the condition would hold after its arrival.
        package var isDecisive: Bool
        /// The event that set the fault which kept it from arriving; nil for no fault.
        package var fault: UInt64?
    }

    /// A kick that the server keeps until the device confirms it (C-7).
    package struct PendingKick: Sendable {
        package var user: String
        package var device: String
        package var reason: KickReason
        /// The server's input that decided it.
        package var decided: UInt64?
        /// The event that sent it; nil if the device was not connected.
        package var sent: UInt64?
    }

    /// A client for which the condition could hold.
    package struct Client: Sendable {
        package var name: String
        package var state: String
        package var timers: [RunningTimer]
        /// The faults because of which it cannot reach the server, the newest last.
        package var faults: [UInt64] = []
    }

    /// A timer that would make the condition hold if nothing arrives before.
    package struct Timer: Sendable {
        package var node: String
        package var name: NodeTimer
        package var due: Instant
    }

    /// The condition, as it was typed.
    package var condition: String
    /// The client in the question; nil for all.
    package var node: String?
    /// The position.
    package var position: UInt64
    /// The newest event for which the condition holds.
    package var happened: UInt64?
    /// The event that ended the state which ``happened`` began. Nil if the state lasts, or if it is no state.
    package var ended: UInt64?
    /// Why no event can match.
    package var impossible: String?
    /// The nearest event, and the comparisons that it does not fulfil.
    package var nearest: (number: UInt64, shortfalls: [String])?
    /// The relevant frames, the decisive one first.
    package var frames: [Frame] = []
    /// The kicks that the server keeps for the clients, if a kick would make the condition hold.
    package var pendingKicks: [PendingKick] = []
    /// A login of the same user that ended no other login, if a kick would make the condition hold.
    package var toleratedLogin: UInt64?
    /// The clients for which the condition could hold.
    package var clients: [Client] = []
    /// The activity of a client that is not in a wanted state, as text.
    package var waiting: String?
    /// The timer that would make the condition hold.
    package var timer: Timer?
    /// The rule that decided the result; nil if none is known.
    package var rule: DecidingRule?
    /// The first event after the position for which the condition holds.
    package var later: UInt64?

    /// True if the condition holds and needs no explanation.
    package var holds: Bool { happened != nil && ended == nil }

    /// The reason why the condition does not hold, as text.
    package var blocker: String {
        if let impossible { return impossible }
        if let frame = frames.first, frame.isDecisive {
            let sent = "\(frame.node)'s frame '\(frame.type)' was sent at #\(frame.number)"
            let fault = frame.fault.map { " because of #\($0)" } ?? ""
            return (frame.isLost ? "\(sent) and lost" : "\(sent) and is still in flight") + fault
        }
        if let kick = pendingKicks.first {
            return "the server decided the kick\(kick.decided.map { " at #\($0)" } ?? "") "
                + "but has not delivered it to \(kick.device)"
        }
        if let later { return "it comes later, at #\(later)" }
        if let timer {
            return "\(timer.node)'s timer '\(timer.name.text)' causes it at +\(timer.due.secondsText), "
                + "if nothing arrives before"
        }
        if let waiting { return waiting }
        if let toleratedLogin { return "the login at #\(toleratedLogin) ended no other login" }
        if let nearest, nearest.shortfalls.count == 1 { return "at #\(nearest.number): \(nearest.shortfalls[0])" }
        guard let first = clients.first else { return "no client is running" }
        let faults = first.faults.map { "#\($0)" }.joined(separator: " and ")
        return "\(first.name) is \(first.state)"
            + (faults.isEmpty ? "" : " and cannot reach the server since \(faults)")
    }
}
