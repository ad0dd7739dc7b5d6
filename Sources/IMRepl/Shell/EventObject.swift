import IMDialects
import IMSession
import Recorder

/// An event as members of a JSON object: what `show --json`, `export --as ndjson` and the conversation print.
enum EventObject {
    /// The names are the grammar's; `fields` are in a fixed order.
    static func members(
        of event: SessionEvent, channel: String, role: String, text: String, callback: Callback?
    ) -> [String] {
        var parts = [
            "\"n\":\(event.number)", "\"t\":\(event.time.nanoseconds)", "\"node\":\(quote(event.node))",
            "\"channel\":\(quote(channel))", "\"role\":\(quote(role))", "\"kind\":\(quote(event.kind))",
        ]
        if let direction = event.direction { parts.append("\"dir\":\(quote(direction))") }
        if event.connection != 0 { parts.append("\"connection\":\(event.connection)") }
        parts.append("\"fields\":{\(members(event.facts.map { ($0.name, $0.value) }).joined(separator: ","))}")
        if let callback {
            let fields = members(callback.fields.map { ($0.name, $0.value) })
            parts.append(
                "\"callback\":{\"name\":\(quote(callback.name)),\"fields\":{\(fields.joined(separator: ","))}}")
        }
        parts.append("\"text\":\(quote(text))")
        return parts
    }

    /// Names with texts. A list of answers repeats its names; an object must not.
    static func members(_ fields: [(name: String, value: String)]) -> [String] {
        var names: [String: Int] = [:]
        return fields.map { field in
            let count = (names[field.name] ?? 0) + 1
            names[field.name] = count
            return "\(quote(count == 1 ? field.name : "\(field.name)#\(count)")):\(quote(field.value))"
        }
    }

    static func quote(_ text: String) -> String { JSONText.line(text) }
}

extension SessionEvent {
    /// The channel that the recorder writes it to.
    var channelName: String {
        let channel: Channel =
            switch content {
            case .input(.frame), .effect(.send): .transport
            case .input(.clientCommand), .input(.serverCommand), .effect(.complete), .effect(.notify): .sdk
            case .input, .effect, .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable:
                .runtime
            }
        return channel.name
    }

    /// What it is to a replay.
    var roleName: String {
        switch content {
        case .header: EventRole.header.name
        case .clock: EventRole.clock.name
        case .start: EventRole.start.name
        case .stop: EventRole.stop.name
        case .input: EventRole.input.name
        case .effect: EventRole.effect.name
        case .environment: EventRole.environment.name
        case .mark: EventRole.mark.name
        case .keyframe: EventRole.keyframe.name
        case .closing: EventRole.closing.name
        case .unreadable: "unreadable"
        }
    }
}
