import LineEditing
import Recorder

/// Questions about causes.
extension ReplayCommands {
    static let asking: [ReplayCommand] = [
        ReplayCommand(
            name: "why", group: .looking, usage: "[N]",
            summary: "The events that led to the last transition, back to a cause outside the client.",
            notes: """
                From the last transition at or before the position, or from event N. Nearest first: an effect is the \
                answer to an input, a frame was sent by somebody, a timer was set by an event, a link was asked for.
                Of a kick it also says whose login took the place, and whose the place was.
                In a recording without the server's side it says where what is known ends.
                """,
            examples: ["why", "why 79"], arguments: [.place],
            check: { line in if let text = try line.optional() { _ = try ReplayPlace(text) } },
            run: { session, line in
                let given = try line.optional().map { try ReplayPlace($0).resolve(in: session) }
                let start = try given ?? session.lastTransition()
                guard let start, start > 0 else {
                    throw CommandFailure(
                        "no transition at or before event \(session.position); 'next' goes to one, 'why N' asks about an "
                            + "event")
                }
                try session.explain(start)
            })
    ]
}

extension ReplaySession {
    /// Prints the chain of causes of an event.
    fileprivate func explain(_ start: UInt64) throws {
        let finder = try CauseFinder(self)
        let chain = try finder.chain(from: start)
        try printChain(chain)
        guard let story = try finder.kickStory(of: chain.steps) else { return }
        if let decision = story.decision {
            output.line("it was told late; the kick had been decided before:")
            try printChain(try finder.chain(from: decision))
        }
        if let lost = story.lost {
            let begin = try finder.chain(from: lost).steps.last?.number ?? lost
            output.line([.init("it ended the login of ")] + (try line(of: event(begin))))
        }
    }

    private func printChain(_ chain: (steps: [CauseFinder.Step], end: String)) throws {
        let width = String(chain.steps.count).count
        for (index, step) in chain.steps.enumerated() {
            let number = String(index + 1)
            let head = String(repeating: " ", count: width - number.count) + number
            let how = step.how.isEmpty ? "" : "  (\(step.how))"
            let more = step.repeats == 0 ? "" : "  … and \(step.repeats) more like it before"
            output.line([.init("\(head)  ")] + (try line(of: event(step.number))) + [.init(how + more)])
        }
        output.line("\(String(repeating: " ", count: width))  \(chain.end)")
    }

    /// The last transition at or before the position.
    func lastTransition() throws -> UInt64? {
        try timeline.last(before: position + 1) { view in
            ReplayCommands.mayBe("transition", view) && self.decoded(view).kind == "transition"
        }?.number
    }

    /// The recording's links, put together at the first question.
    func linkPairs() throws -> LinkPairs {
        if let linkTable { return linkTable }
        let made = try LinkPairs(self)
        linkTable = made
        return made
    }
}
