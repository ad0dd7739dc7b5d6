import IMClient
import IMProtocol
import IMSession

/// Messages that wait for a connection are sent in the order of the app's calls (C-14).
struct SendOrderChecker {
    /// The messages that were not sent yet, oldest first.
    private var waiting: [(id: CommandID, text: String)] = []

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: waiting.removeAll()
        case .input(.clientCommand(let id, .send(_, let text, false))): waiting.append((id, text))
        case .effect(.complete(let id, _)): if !waiting.isEmpty { waiting.removeAll { $0.id == id } }
        case .effect(.send(_, let frame)):
            guard case .send(let message) = frame.body, !message.isToChannel,
                let index = waiting.firstIndex(where: { $0.text == message.text })
            else { return }
            if index > 0 {
                let detail = "'\(message.text)' before '\(waiting[0].text)'"
                violations.append(Violation(.messages, "C-14", "messages go out in another order", detail))
            }
            waiting.remove(at: index)
        default: break
        }
    }
}
