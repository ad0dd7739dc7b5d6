import IMClient
import IMProfiles
import IMSession
import IMSimulation
import SansIO

extension WhatIfOutcome {
    /// The outcome as a JSON object.
    ///
    /// - Parameter number: the number of the changed event.
    package func object(
        of change: WhatIf.Change, at number: UInt64, dialect: any Dialect, recording: String?
    ) -> AnswerObject {
        let formatter = EventFormatter(dialect: dialect)
        var object = AnswerObject(.whatIf)
        switch change {
        case .none: object.add("change", "none")
        case .mute: object.add("change", "mute")
        case .edit(let field, let value):
            object.add("change", "edit")
            object.add("field", field)
            object.add("value", value)
        case .delay(let delay):
            object.add("change", "delay")
            object.add("delay", number: delay.nanoseconds)
        }
        object.add("event", number: number)
        object.add("outcome", difference == nil ? "same" : "other")
        if let difference {
            var first = AnswerObject()
            first.add("node", difference.node)
            first.add("was", object: difference.recorded.map { Self.object(of: $0, formatter) })
            first.add("is", object: difference.altered.map { Self.object(of: $0, formatter) })
            object.add("difference", object: first)
        }
        object.add("clients", objects: finals.map { client($0, formatter) })
        object.add(
            "skipped",
            objects: skipped.map { skipped in
                var object = AnswerObject()
                object.add("n", number: skipped.number)
                object.add("reason", skipped.reason)
                return object
            })
        object.add("asleep", number: commandDuringSleep?.number)
        object.add("recording", recording)
        return object
    }

    /// The differences of one client: its final states, and the events that the change added and removed.
    private func client(
        _ final: (node: String, recorded: ClientState?, altered: ClientState?), _ formatter: EventFormatter
    ) -> AnswerObject {
        let old = recorded.filter { $0.node == final.node }
        let new = altered.filter { $0.node == final.node }
        let change = new.map(formatter.text).difference(from: old.map(formatter.text))
        let removed = change.removals.compactMap { if case .remove(let offset, _, _) = $0 { old[offset] } else { nil } }
        let added = change.insertions.compactMap {
            if case .insert(let offset, _, _) = $0 { new[offset] } else { nil }
        }
        var object = AnswerObject()
        object.add("node", final.node)
        object.add("was", final.recorded?.name ?? "not running")
        object.add("is", final.altered?.name ?? "not running")
        object.add("removed", objects: removed.map { Self.object(of: $0, formatter) })
        object.add("added", objects: added.map { Self.object(of: $0, formatter) })
        return object
    }

    private static func object(of event: SessionEvent, _ formatter: EventFormatter) -> AnswerObject {
        var object = AnswerObject()
        if event.number != 0 { object.add("n", number: event.number) }
        object.add("t", number: event.time.nanoseconds)
        object.add("kind", event.kind)
        object.add("text", formatter.text(of: event))
        return object
    }
}
