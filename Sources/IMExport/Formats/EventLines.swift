import IMDebugger
import IMSession

/// `--as ndjson`: the same lines as `show --json`.
package struct EventLines {
    package let session: ExportedSession

    package init(_ session: ExportedSession) {
        self.session = session
    }

    /// Calls `body` for each line, without its line end.
    package func forEach(_ body: (String) throws -> Void) throws {
        let wall = WallClock(session.reader.header)
        let graph = CausalGraph(reading: session.reader)
        try session.forEach { view, event, formatted, formatter in
            try body(
                EventObject.line(
                    of: event, channel: view.channel.name, role: view.role.name, text: formatted.text, formatter,
                    undelivered: graph.undelivered(event.number), wall: wall))
        }
    }
}
