import IMDebugger
import IMSession

/// `--as ndjson`: what `show --json` prints.
package struct EventLines {
    package let session: ExportedSession

    package init(_ session: ExportedSession) {
        self.session = session
    }

    /// Gives away each line, without its end.
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
