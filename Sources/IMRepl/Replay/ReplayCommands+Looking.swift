import IMShell
import LineEditing
import Recorder

/// The commands that show the events around the position.
extension ReplayCommands {
    static let looking: [ReplayCommand] = [list, marks, timeline]

    private static let list = ReplayCommand(
        name: "list", group: .looking, usage: "[±N]",
        summary: "List the events around the position; → marks the current event.",
        examples: ["list", "list 20"],
        check: { line in _ = try line.spread() },
        run: { session, line in
            let spread = try line.spread()
            let first = session.position > spread ? session.position - spread : 1
            let last = spread > session.count - session.position ? session.count : session.position + spread
            if session.position == 0 { session.output.line("→ before the first of \(session.count) events") }
            for event in try session.timeline.events(max(first, 1)...max(last, 1)) {
                if session.output.form == .json {
                    try session.print(session.decoded(event))
                    continue
                }
                let mark = event.number == session.position ? "→ " : "  "
                session.output.line([.init(mark)] + (try session.line(of: session.decoded(event))))
            }
        })

    private static let marks = ReplayCommand(
        name: "marks", group: .looking, summary: "List the marks of the recording.",
        run: { session, _ in
            let marks = try session.debug.marks()
            if marks.isEmpty { session.output.line("no marks") }
            for mark in marks { try session.print(session.event(mark.number)) }
        })
}

extension ReplayLine {
    /// The number of events on either side of the position; the default is 5.
    fileprivate func spread() throws -> UInt64 {
        guard let text = try optionalArgument() else { return 5 }
        let digits = text.drop { $0 == "±" || $0 == "+" || $0 == "-" }
        guard let number = UInt64(digits) else {
            throw CommandFailure("invalid number '\(text)'; use a whole number from 0")
        }
        return number
    }
}
