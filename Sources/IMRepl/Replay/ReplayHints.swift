import Recorder

// What helps on when a search found nothing.

extension ReplaySession {
    /// Where else there is what was looked for; where there is none at all, what the recording has instead.
    func elsewhere(
        isForward: Bool, where condition: (EventView, ReplaySession) throws -> Bool
    ) throws -> String {
        if position > 0, try timeline.event(position).withView({ try condition($0, self) }) {
            return "; you stand at one, #\(position)"
        }
        if let other = try search(isForward: !isForward, where: condition) {
            return "; there is one at #\(other), \(isForward ? "before" : "after") here"
        }
        return ", nor anywhere else; this recording has \(try kindsText())"
    }

    /// How many events there are of each kind, under the names that `next` takes.
    private func kindsText() throws -> String {
        var counts: [String: Int] = [:]
        var states: [String] = []
        _ = try search(isForward: true, from: 0) { view, session in
            let event = session.decoded(view)
            counts[event.kind, default: 0] += 1
            if case .effect(.transition(let change)) = event.content, !states.contains(change.to.name) {
                states.append(change.to.name)
            }
            return false
        }
        let kinds = ReplayCommands.kinds.filter { $0 != "keyframe" }.compactMap { kind -> String? in
            guard let count = counts[kind] else { return nil }
            let to = kind == "transition" && !states.isEmpty ? " (to \(states.joined(separator: ", ")))" : ""
            return "\(kind) \(count)\(to)"
        }
        return kinds.isEmpty ? "no events" : kinds.joined(separator: ", ")
    }
}
