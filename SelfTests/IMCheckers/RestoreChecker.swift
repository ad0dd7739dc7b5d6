import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// Requests that waited for a connection are sent as soon as one carries the login: messages (C-14), and tree reads
/// that the previous connection left unanswered (SYNC-10).
struct RestoreChecker {
    private struct Waiting {
        var text: String
        var isRead: Bool
        /// The connection over which it was sent last.
        var sent: ConnectionID?
    }

    private var waiting: [CommandID: Waiting] = [:]
    /// During a logout nothing is sent.
    private var leaving: CommandID?

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = RestoreChecker()
        case .input(let input):
            if !waiting.isEmpty { checkWaiting(input, trace, into: &violations) }
            switch input {
            case .clientCommand(let id, .logout): leaving = leaving ?? id
            case .clientCommand(let id, .send(_, let text, _)): waiting[id] = Waiting(text: text, isRead: false)
            case .clientCommand(let id, .tree(.get(let path, _), _)):
                waiting[id] = Waiting(text: Self.canonicalPath(path), isRead: true)
            default: break
            }
        case .effect(.complete(let id, _)):
            waiting[id] = nil
            if id == leaving { leaving = nil }
        case .effect(.send(let link, let frame)):
            guard !waiting.isEmpty else { return }
            switch frame.body {
            case .send(let message): sent(message.text, isRead: false, over: link)
            case .tree(.get(let path, _)): sent(Self.canonicalPath(path), isRead: true, over: link)
            default: break
            }
        default: break
        }
    }

    /// The path in its canonical form.
    private static func canonicalPath(_ path: String) -> String { TreePath(keys: [TreeKey](path: path)).text }

    private mutating func sent(_ text: String, isRead: Bool, over link: ConnectionID) {
        for (id, one) in waiting where one.text == text && one.isRead == isRead { waiting[id]?.sent = link }
    }

    /// Checks the results of the previous inputs.
    private mutating func checkWaiting(_ input: NodeInput, _ trace: ClientTrace, into violations: inout [Violation]) {
        // The effects of the present input follow later.
        if case .frame(_, let frame) = input, case .loginAck = frame.body { return }
        guard leaving == nil, trace.state == .online, let link = trace.acceptedLink else { return }
        for (id, one) in waiting.sorted(by: { $0.key < $1.key }) where one.sent != link {
            // A read that was never sent may wait for the device's own data.
            guard !one.isRead || one.sent != nil else { continue }
            waiting[id] = nil
            violations.append(
                one.isRead
                    ? Violation(.tree, "SYNC-10", "a read is not asked again over the new link", "'\(one.text)'")
                    : Violation(.messages, "C-14", "a message waits though a link is there", "'\(one.text)'"))
        }
    }
}
