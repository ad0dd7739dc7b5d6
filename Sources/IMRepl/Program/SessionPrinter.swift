import Foundation
import IMClient
import IMDialects
import IMProtocol
import IMWorld
import Recorder
import SansIO

/// `show`: the events of a recording, as a table for people or as NDJSON for programs. One line each event.
struct SessionPrinter {
    let reader: SessionReader
    let output: Output
    let dialect: any Dialect

    /// - Throws: ``EntryError`` for a profile that this version does not know, or a session of other machines.
    init(_ reader: SessionReader, path: String, output: Output) throws {
        self.reader = reader
        self.output = output
        do throws(SessionError) {
            // Only the words come from this version; what the file says is the file's.
            try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        } catch {
            throw EntryError(message: "\(path): \(error)", outcome: .unreadable)
        }
        guard let dialect = Dialects.named(reader.header.profile) else {
            throw EntryError(
                message: "\(path): this version does not speak the profile '\(reader.header.profile)'",
                outcome: .unreadable)
        }
        self.dialect = dialect
    }

    /// - Parameter filter: only the events for which it holds; nil for all.
    func print(asJSON: Bool, filter: Filter? = nil) throws {
        if let filter { return try print(filter, asJSON: asJSON) }
        let narrator = Narrator(dialect: dialect)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            print(event, narrator.tell(event), view, narrator, asJSON: asJSON)
        }
    }

    private func print(_ filter: Filter, asJSON: Bool) throws {
        let session = try SessionFields(reader, for: filter)
        guard filter.mayHold(in: session) else { return }
        let scan = FilterScan(filter, of: reader, dialect: dialect, session: session)
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            guard let event = scan.take(view) else { continue }
            let telling = Narrator.Telling(
                text: scan.narrator.text(of: event), weight: scan.narrator.weight(of: event))
            print(event, telling, view, scan.narrator, asJSON: asJSON)
        }
    }

    private func print(
        _ event: SessionEvent, _ telling: Narrator.Telling, _ view: EventView, _ narrator: Narrator, asJSON: Bool
    ) {
        if asJSON {
            output.verbatim(json(event, channel: view.channel.name, role: view.role.name, telling, narrator))
        } else {
            output.line(EventText.line(event, telling.text, output: output))
        }
    }

    /// One object: the same names as the grammar's, `fields` in a fixed order.
    private func json(
        _ event: SessionEvent, channel: String, role: String, _ telling: Narrator.Telling, _ narrator: Narrator
    ) -> String {
        var parts = [
            "\"schema\":1", "\"n\":\(event.number)", "\"t\":\(event.time.nanoseconds)", "\"node\":\(quote(event.node))",
            "\"channel\":\(quote(channel))", "\"role\":\(quote(role))", "\"kind\":\(quote(event.kind))",
        ]
        if let direction = event.direction { parts.append("\"dir\":\(quote(direction))") }
        if event.connection != 0 { parts.append("\"connection\":\(event.connection)") }
        parts.append("\"fields\":{\(unique(event.facts).joined(separator: ","))}")
        if case .effect(let effect) = event.content, let callback = narrator.callback(for: effect) {
            let fields = callback.fields.map { "\(quote($0.name)):\(quote($0.value))" }
            parts.append(
                "\"callback\":{\"name\":\(quote(callback.name)),\"fields\":{\(fields.joined(separator: ","))}}")
        }
        parts.append("\"text\":\(quote(telling.text))")
        return "{\(parts.joined(separator: ","))}"
    }

    /// A list of answers repeats its names; an object must not.
    private func unique(_ facts: [AnswerField]) -> [String] {
        var names: Set<String> = []
        return facts.map { fact in
            var name = fact.name
            var count = 1
            while !names.insert(name).inserted {
                count += 1
                name = "\(fact.name)#\(count)"
            }
            return "\(quote(name)):\(quote(fact.value))"
        }
    }

    private func quote(_ text: String) -> String { JSONText.line(text) }
}
