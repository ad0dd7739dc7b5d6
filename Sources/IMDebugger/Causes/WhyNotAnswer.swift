import IMProtocol
import Recorder
import SansIO

/// The answer of `why-not`: why a condition has not held up to a position.
package struct WhyNotAnswer: Sendable {
    /// A frame that was sent and has not arrived.
    package struct Frame: Sendable {
        /// The number of the event that sent the frame.
        package var number: UInt64
        /// The name of the node that sent the frame.
        package var node: String
        /// The type of the frame, such as `login-ack`.
        package var type: String
        /// False if the frame is still in flight at the position.
        package var isLost: Bool
        /// True if the condition would hold after the arrival of the frame.
        package var isDecisive: Bool
        /// The event that set the fault because of which the frame has not arrived; nil if there is none.
        package var fault: UInt64?
    }

    /// A kick that the server stores until the device confirms it (C-7).
    package struct PendingKick: Sendable {
        package var user: String
        package var device: String
        package var reason: KickReason
        /// The server's input that decided the kick.
        package var decided: UInt64?
        /// The event that sent the kick; nil if the device was not connected.
        package var sent: UInt64?
    }

    /// A client for which the condition could hold.
    package struct Client: Sendable {
        package var name: String
        package var state: String
        package var timers: [RunningTimer]
        /// The faults because of which the client cannot reach the server, the newest last.
        package var faults: [UInt64] = []
    }

    /// A timer after which the condition holds if no frame arrives before.
    package struct Timer: Sendable {
        package var node: String
        package var name: NodeTimer
        package var due: Instant
    }

    /// The condition as the user typed it.
    package var condition: String
    /// The name of the client to which the question is limited; nil for all clients.
    package var node: String?
    /// The number of the event at the position.
    package var position: UInt64
    /// The newest event up to the position for which the condition holds.
    package var newestMatch: UInt64?
    /// The event that ended the state which began with ``newestMatch``. Nil if the state continues, or if the condition
    /// does not require a state.
    package var matchEnd: UInt64?
    /// The reason why no event can match the condition; nil if one can.
    package var impossible: String?
    /// The event that is nearest to the condition, and the texts of the comparisons that do not hold for it.
    package var nearest: (number: UInt64, shortfalls: [String])?
    /// Frames that have not arrived, the decisive one first.
    package var frames: [Frame] = []
    /// The kicks that the server stores for the clients, if the condition would hold after a kick.
    package var pendingKicks: [PendingKick] = []
    /// A login of the same user on another device that did not kick the client. Nil if the condition would not hold
    /// after a kick by that login.
    package var toleratedLogin: UInt64?
    /// The clients for which the condition could hold.
    package var clients: [Client] = []
    /// A text about the activity of a client that is not in a state that the condition requires.
    package var waiting: String?
    /// The timer after which the condition holds if no frame arrives before.
    package var timer: Timer?
    /// The rule that decided the result; nil if none is known.
    package var rule: DecidingRule?
    /// The first event after the position for which the condition holds.
    package var nextMatch: UInt64?

    /// True if the condition holds and needs no explanation.
    package var holds: Bool { newestMatch != nil && matchEnd == nil }

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
        if let nextMatch { return "it comes later, at #\(nextMatch)" }
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
