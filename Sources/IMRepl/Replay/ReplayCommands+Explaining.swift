import IMDebugger
import IMSession
import IMShell
import LineEditing
import Recorder

/// The commands that explain causes.
extension ReplayCommands {
    static let explaining: [ReplayCommand] = [
        ReplayCommand(
            name: "why", group: .looking, usage: "[N]",
            summary: "Show the causes of an event, back to the external cause.",
            notes: """
                It explains the event at the position, or event N; at an event of the recorder, the last \
                transition. The nearest cause comes first: the input of an effect, the sending of a frame, the \
                event that set a timer, the request for a link.
                For a kick it also shows whose login took the slot, and whose login ended. The last lines show the \
                external cause, and the rule and the policy values that decided.
                In a recording without the server it shows where the known causes end.
                """,
            examples: ["why", "why 79"], arguments: [.position],
            check: { line in if let text = try line.optionalArgument() { _ = try ReplayPosition(text) } },
            run: { session, line in
                let event = try line.optionalArgument().map { try ReplayPosition($0).resolve(in: session.debug) }
                try session.explanations.explain(event ?? session.debug.eventToExplain())
            }),
        ReplayCommand(
            name: "why-not", group: .looking, usage: "EXPR",
            summary: "Show why something did not happen up to the position.",
            notes: """
                EXPR is a condition ('help filter'). The answer contains the nearest event (the newest of those \
                that meet the most comparisons) and what it lacks, a frame that was lost or is in flight, a kick \
                that the server has not delivered, the states and timers of the clients, and the rule that decided \
                the nearest event or state.
                A state that a client has left counts as not reached: the answer then begins where the client left it.
                """,
            examples: ["why-not kick", "why-not kind == transition and to == online"], arguments: [.filter],
            check: { line in
                guard !line.text.isEmpty else { throw CommandFailure("give a condition, for example 'why-not kick'") }
                _ = try ReplayCondition(line.text)
            },
            run: { session, line in
                try session.explanations.explainWhyNot(try ReplayCondition(line.text), node: nil)
            }),
    ]
}
