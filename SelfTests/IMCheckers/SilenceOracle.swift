import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The server ends a connection without frames after the silence limit, and no later (C-12, ZIM-5).
struct SilenceOracle {
    private let policy: ServerPolicy
    private var heardAt: [ConnectionID: Instant] = [:]
    private var isPolicyChanged = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func seeServer(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: heardAt.removeAll()
        case .input(let input):
            judge(at: event.time, into: &faults)
            switch input {
            case .linkOpened(let id), .frame(let id, _), .unreadable(let id, _): heardAt[id] = event.time
            case .linkClosed(let id, _): heardAt[id] = nil
            case .serverCommand(_, .setPolicy("silence-limit-ms", _)): isPolicyChanged = true
            default: break
            }
        case .effect(.closeLink(let id)): heardAt[id] = nil
        default: break
        }
    }

    private mutating func judge(at now: Instant, into faults: inout [Violation]) {
        let limit = policy.silenceLimit + .milliseconds(1)
        guard heardAt.values.contains(where: { now - $0 > limit }) else { return }
        for (id, heard) in heardAt.sorted(by: { $0.key < $1.key }) where now - heard > limit {
            heardAt[id] = nil
            guard !isPolicyChanged else { continue }
            let words = "\((now - heard).inMilliseconds) ms, not \(policy.silenceLimit.inMilliseconds)"
            faults.append(Violation(.heartbeats, "C-12", "the server keeps a silent connection", words))
        }
    }
}
