import IMProtocol
import IMSession

/// An app is notified of messages, and of operations, in the order of the server's numbers, even if the network loses
/// frames (C-15, CHAT-8).
struct NotificationOrder {
    private struct Line: Hashable {
        var node: String
        var user: String
        var isOperation: Bool
    }

    /// The number that a client confirmed last; its notification follows.
    private var confirmed: [String: UInt64] = [:]
    /// The highest number in each line of notifications.
    private var last: [Line: UInt64] = [:]

    mutating func observeClient(_ event: SessionEvent, _ user: String?, into violations: inout [Violation]) {
        let line: Line
        let detail: String
        switch event.content {
        case .effect(.send(_, let frame)):
            switch frame.body {
            case .messageAck(_, let number), .operatedAck(_, let number): confirmed[event.node] = number
            default: break
            }
            return
        case .effect(.notify(.messageReceived(let message))) where !message.isToChannel:
            line = Line(node: event.node, user: user ?? "", isOperation: false)
            detail = "'\(message.text)'"
        case .effect(.notify(.operated(let operation))):
            line = Line(node: event.node, user: user ?? "", isOperation: true)
            detail = "\(operation.kind.name) of '\(operation.target)'"
        default: return
        }
        guard let number = confirmed.removeValue(forKey: event.node), number != 0 else { return }
        defer { last[line] = max(last[line] ?? 0, number) }
        guard let before = last[line], number < before else { return }
        violations.append(
            Violation(.messages, "C-15", "an app is notified of a later message or operation first", detail))
    }
}
