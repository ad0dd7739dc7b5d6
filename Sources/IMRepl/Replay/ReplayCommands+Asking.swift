import IMCommands
import IMDebugger
import IMSession
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
                EXPR is a condition, as 'help filter' describes it. It shows the event that came nearest and what it \
                lacked, the timers that are not due yet, the states, and the policy's values that have to do with it.
                """,
            examples: ["why-not kick", "why-not kind == transition and to == online"], arguments: [.filter],
            check: { line in
                guard !line.text.isEmpty else { throw CommandFailure("what did not happen? 'why-not kick'") }
                _ = try ReplayCondition(line.text)
            },
            run: { session, line in
                try session.explanations.explainAbsence(of: try ReplayCondition(line.text), node: nil)
            }),
    ]
}
