import IMDebugger
import IMSession
import SansIO

extension Explanation {
    /// The explanation as a JSON object.
    func object(of event: UInt64, in debug: DebugSession) throws -> AnswerObject {
        var object = AnswerObject(.why)
        object.add("event", number: event)
        object.add("chain", numbers: chain.steps.map(\.number))
        object.add("decided", numbers: decision?.steps.map(\.number) ?? [])
        object.add("cause", number: verdict.cause)
        object.add("what", verdict.what)
        object.add("also", numbers: (decision ?? chain).also)
        object.add("rules", texts: verdict.rule?.ids ?? [])
        object.add("values", texts: verdict.rule?.values ?? [])
        object.add("steps", objects: try steps(in: debug))
        object.add("rule", object: verdict.rule?.object)
        object.add("lost", number: try beginOfLostLogin(in: debug))
        return object
    }

    /// The events of both chains as JSON objects, each event once.
    private func steps(in debug: DebugSession) throws -> [AnswerObject] {
        var included: Set<UInt64> = []
        var steps: [AnswerObject] = []
        for chain in [chain.steps, decision?.steps ?? []] {
            for (index, step) in chain.enumerated() where included.insert(step.number).inserted {
                var object = try debug.object(ofEvent: step.number)
                if !step.how.isEmpty { object.add("how", step.how) }
                object.add("next", number: chain.at(index + 1)?.number)
                if step.repeats > 0 { object.add("repeats", number: step.repeats) }
                steps.append(object)
            }
        }
        return steps
    }

    /// The event that started the login that the kick ended; nil if the explained event is not a kick.
    func beginOfLostLogin(in debug: DebugSession) throws -> UInt64? {
        guard let lost = kick?.endedLogin else { return nil }
        return try CauseFinder(debug).chain(from: lost).steps.last?.number ?? lost
    }
}

extension DecidingRule {
    /// The rule as a JSON object.
    var object: AnswerObject {
        var object = AnswerObject()
        object.add("id", ids.first)
        object.add("ids", texts: ids)
        object.add("text", ids.first.flatMap { RuleCatalogue.rule($0)?.text } ?? "")
        object.add(
            "values",
            values: values.map { value in
                let name = value.prefix { $0 != "=" }
                return (String(name), String(value.dropFirst(name.count + 1)))
            })
        return object
    }
}

extension DebugSession {
    /// The JSON object of an event inside another object.
    func object(ofEvent number: UInt64) throws -> AnswerObject {
        let event = try event(number)
        return try object(of: event, undelivered(event))
    }

    /// The JSON object of an event inside another object.
    ///
    /// - Parameter undelivered: if the event is a frame that did not arrive, whether it was lost or is in flight;
    ///   otherwise nil.
    func object(of event: SessionEvent, _ undelivered: UndeliveredFrame?) throws -> AnswerObject {
        var object = AnswerObject()
        object.add("n", number: event.number)
        object.add("t", number: event.time.nanoseconds)
        object.add("node", event.node)
        object.add("kind", event.kind)
        object.add("text", try text(of: event))
        object.add("delivery", undelivered?.rawValue)
        return object
    }
}

extension RunningTimer {
    /// The timer as a JSON object.
    package var object: AnswerObject {
        var object = AnswerObject()
        object.add("name", name.text)
        object.add("at", number: due.nanoseconds)
        object.add("in", number: remaining.nanoseconds)
        return object
    }
}
