import IMDebugger
import IMSession
import IMShell
import LineEditing
import Recorder

/// Questions about causes.
extension ReplayCommands {
    static let asking: [ReplayCommand] = [
        ReplayCommand(
            name: "why", group: .looking, usage: "[N]",
            summary: "What led to the event at the position, back to a cause outside the client.",
            notes: """
                Of the event at the position, or of event N; where the recorder wrote something, of the last \
                transition. Nearest first: an effect is the answer to an input, a \
                frame was sent by somebody, a timer was set by an event, a link was asked for.
                Of a kick it also says whose login took the place, and whose the place was. The last lines name the \
                cause from outside, and the rule and the policy's values that decided.
                In a recording without the server's side it says where what is known ends.
                """,
            examples: ["why", "why 79"], arguments: [.place],
            check: { line in if let text = try line.optional() { _ = try ReplayPosition(text) } },
            run: { session, line in
                let given = try line.optional().map { try ReplayPosition($0).resolve(in: session.debug) }
                let start = try given ?? session.debug.eventToExplain()
                try session.explanations.explain(start)
            }),
        ReplayCommand(
            name: "why-not", group: .looking, usage: "EXPR",
            summary: "What kept something from happening up to the position.",
            notes: """
                EXPR is a condition, as 'help filter' describes it. The answer has the event that came nearest (the \
                newest of those for which most comparisons hold) and what it lacks, a frame that was lost or is in \
                flight, a kick that the server has not delivered, the states and timers of the clients, and the rule \
                by which the event or state that was found was decided.
                A state that a client has left again counts as not reached: the answer begins where it was left.
                """,
            examples: ["why-not kick", "why-not kind == transition and to == online"], arguments: [.filter],
            check: { line in
                guard !line.text.isEmpty else { throw CommandFailure("what did not happen? 'why-not kick'") }
                _ = try ReplayCondition(line.text)
            },
            run: { session, line in
                try session.explanations.explainWhyNot(try ReplayCondition(line.text), node: nil)
            }),
    ]
}
