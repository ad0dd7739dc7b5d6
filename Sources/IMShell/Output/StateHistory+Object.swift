import IMSession
import SansIO

extension StateHistory {
    /// The timeline as a JSON object.
    ///
    /// - Parameters:
    ///   - position: the position in the replay; nil if there is no replay.
    ///   - wall: the session's wall clock; nil if it has none.
    ///   - time: returns the recorded time of an event if it differs from the time at which the strips show it.
    package func object(
        from begin: Instant, to end: Instant, position: UInt64? = nil, wall: WallClock?,
        time: (UInt64) throws -> Instant? = { _ in nil }
    ) throws -> AnswerObject {
        func event(_ number: UInt64, _ shownTime: Instant) throws -> AnswerObject {
            var object = AnswerObject()
            if number != 0 { object.add("n", number: number) }
            let instant = number == 0 ? shownTime : try time(number) ?? shownTime
            object.add("t", number: instant.nanoseconds)
            object.add("wall", wall?.text(of: instant))
            return object
        }
        var object = AnswerObject(.timeline)
        object.add("from", number: begin.nanoseconds)
        object.add("to", number: end.nanoseconds)
        object.add("n", number: position)
        object.add(
            "clients",
            objects: try lanes.map { lane in
                var client = AnswerObject()
                client.add("node", lane.name)
                client.add(
                    "changes",
                    objects: try lane.changes.map { change in
                        var object = try event(change.number, change.time)
                        object.add("state", json: change.state.map { "\"\($0.name)\"" } ?? "null")
                        return object
                    })
                return client
            })
        object.add(
            "marks",
            objects: try ticks.map { tick in
                var object = try event(tick.number, tick.time)
                object.add("kind", "\(tick.kind)")
                return object
            })
        return object
    }
}
