import IMDebugger
import IMProfiles
import IMServer
import IMSession
import Recorder

/// An event as members of a JSON object, for `show --json`, `export --as ndjson` and the answers of `imrepl --json`.
package enum EventObject {
    /// The version of the object's member names. Existing names never change, and new ones may be added.
    package static let schema = 1

    /// The JSON object of an event as one line, with the version of its names.
    package static func line(
        of event: SessionEvent, channel: String, role: String, text: String, _ formatter: EventFormatter,
        undelivered: UndeliveredFrame? = nil, wall: WallClock? = nil
    ) -> String {
        let callback = formatter.callback(of: event)
        let members = members(
            of: event, channel: channel, role: role, text: text, callback: callback,
            undelivered: undelivered, wall: wall)
        return "{\"schema\":\(schema),\(members.joined(separator: ","))}"
    }

    /// The members of an event's object. They have the names of the filter language. The members of `fields` have a
    /// fixed order.
    package static func members(
        of event: SessionEvent, channel: String, role: String, text: String, callback: Callback?,
        undelivered: UndeliveredFrame? = nil, wall: WallClock? = nil
    ) -> [String] {
        var parts = [
            "\"n\":\(event.number)", "\"t\":\(event.time.nanoseconds)", "\"node\":\(quote(event.node))",
            "\"channel\":\(quote(channel))", "\"role\":\(quote(role))", "\"kind\":\(quote(event.kind))",
        ]
        if let wall { parts.append("\"wall\":\(quote(wall.text(of: event.time)))") }
        if event.cause != 0 { parts.append("\"cause\":\(event.cause)") }
        if let direction = event.direction { parts.append("\"dir\":\(quote(direction))") }
        if event.connection != 0 { parts.append("\"connection\":\(event.connection)") }
        if let undelivered { parts.append("\"delivery\":\(quote(undelivered.rawValue))") }
        parts.append("\"fields\":{\(members(event.facts.map { ($0.name, $0.value) }).joined(separator: ","))}")
        if let callback {
            let fields = members(callback.fields.map { ($0.name, $0.value) })
            parts.append(
                "\"callback\":{\"name\":\(quote(callback.name)),\"fields\":{\(fields.joined(separator: ","))}}")
        }
        parts.append("\"text\":\(quote(text))")
        return parts
    }

    /// Fields as members of a JSON object. A name that occurs again gets a number, such as `name#2`, because an object
    /// must not repeat a name.
    package static func members(_ fields: [(name: String, value: String)]) -> [String] {
        var names: [String: Int] = [:]
        return fields.map { field in
            let count = (names[field.name] ?? 0) + 1
            names[field.name] = count
            return "\(quote(count == 1 ? field.name : "\(field.name)#\(count)")):\(quote(field.value))"
        }
    }

    /// A text as a JSON value. An integer or a Boolean is written without quotes, every other text as a string.
    package static func value(_ text: String) -> String {
        let isNumber = Int64(text).map { String($0) == text } ?? false
        return isNumber || text == "true" || text == "false" ? text : quote(text)
    }

    package static func quote(_ text: String) -> String { JSONText.line(text) }
}
