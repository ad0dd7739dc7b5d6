import IMDebugger
import IMSession
import SansIO

extension WhyNotAnswer {
    /// The answer as a JSON object.
    func object(in debug: DebugSession) throws -> AnswerObject {
        var object = AnswerObject(.whyNot)
        object.add("condition", condition)
        object.add("node", node)
        object.add("position", number: position)
        object.add("holds", isTrue: holds)
        object.add("happened", number: newestMatch)
        object.add("ended", number: matchEnd)
        if let nearest {
            var event = try debug.object(ofEvent: nearest.number)
            event.add("lacks", texts: nearest.shortfalls)
            object.add("nearest", object: event)
        }
        object.add("frames", objects: try frames.map { try Self.object(of: $0, in: debug) })
        object.add("kicks", objects: pendingKicks.map(Self.object))
        object.add("tolerated", number: toleratedLogin)
        object.add("clients", objects: clients.map(Self.object))
        if let timer {
            var inner = AnswerObject()
            inner.add("node", timer.node)
            inner.add("name", timer.name.text)
            inner.add("at", number: timer.due.nanoseconds)
            object.add("timer", object: inner)
        }
        object.add("rule", object: rule?.object)
        object.add("later", number: nextMatch)
        if !holds { object.add("blocker", blocker) }
        return object
    }

    private static func object(of frame: Frame, in debug: DebugSession) throws -> AnswerObject {
        // The delivery of the frame is that at the checked position. If the position is before the end of the
        // recording, a frame in flight may have arrived later.
        var object = try debug.object(of: debug.event(frame.number), frame.isLost ? .lost : .inFlight)
        object.add("decisive", isTrue: frame.isDecisive)
        object.add("fault", number: frame.fault)
        return object
    }

    private static func object(of kick: PendingKick) -> AnswerObject {
        var object = AnswerObject()
        object.add("user", kick.user)
        object.add("device", kick.device)
        object.add("reason", kick.reason.name)
        object.add("decided", number: kick.decided)
        object.add("sent", number: kick.sent)
        return object
    }

    private static func object(of client: Client) -> AnswerObject {
        var object = AnswerObject()
        object.add("node", client.name)
        object.add("state", client.state)
        object.add("timers", objects: client.timers.map(\.object))
        object.add("faults", numbers: client.faults)
        return object
    }
}
