import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The server ends a connection without frames after the silence limit, and no later (C-12, ZIM-5).
struct SilenceChecker {
    private let policy: ServerPolicy
    private var lastFrameAt: [ConnectionID: Instant] = [:]
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func observeServer(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: lastFrameAt.removeAll()
        case .input(let input):
            check(at: event.time, into: &violations)
            switch input {
            case .linkOpened(let id), .frame(let id, _), .unreadable(let id, _): lastFrameAt[id] = event.time
            case .linkClosed(let id, _): lastFrameAt[id] = nil
            case .serverCommand(_, .setPolicy("silence-limit-ms", _)): isPolicyChanged = true
            default: break
            }
        case .effect(.closeLink(let id)): lastFrameAt[id] = nil
        default: break
        }
    }

    private mutating func check(at now: Instant, into violations: inout [Violation]) {
        let limit = policy.silenceLimit + .milliseconds(1)
        guard lastFrameAt.values.contains(where: { now - $0 > limit }) else { return }
        for (id, lastFrame) in lastFrameAt.sorted(by: { $0.key < $1.key }) where now - lastFrame > limit {
            lastFrameAt[id] = nil
            guard !isPolicyChanged else { continue }
            let detail = "\((now - lastFrame).inMilliseconds) ms, not \(policy.silenceLimit.inMilliseconds)"
            violations.append(Violation(.heartbeats, "C-12", "the server keeps a silent connection", detail))
        }
    }
}
