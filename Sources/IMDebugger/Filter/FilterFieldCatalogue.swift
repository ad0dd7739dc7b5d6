import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import Recorder

/// All fields of the filter language, in groups. The lists of values are used for completion and for checks.
enum FilterFieldCatalogue {
    /// The fields of all events and of recordings.
    static let common: [FilterField] = [
        FilterField(name: "kind", what: "the kind of the event", values: kinds, isClosed: true),
        FilterField(name: "node", what: "the client, the server, or 'session'"),
        FilterField(name: "t", what: "the time since the session began: t > 12.5s"),
        FilterField(name: "n", what: "the event's number"),
        FilterField(name: "text", what: "the line that 'show' prints, or a message's text"),
        FilterField(name: "to", what: "a transition's new state; a message's receiver", values: states),
        FilterField(name: "from", what: "a transition's old state; a message's sender", values: states),
        FilterField(name: "state", what: "the new state, ours or the vendor's", values: states + vendors("state")),
        FilterField(name: "reason", what: "the reason of a transition, kick, goodbye or callback", values: reasons),
        FilterField(
            name: "in-state", what: "the client's state before the input that caused the event", values: states,
            isClosed: true),
        FilterField(name: "type", what: "a frame's type", values: FrameBody.names + vendors("type")),
        FilterField(name: "callback", what: "the vendor's name of a callback", values: callbacks),
        FilterField(name: "command", what: "a command's name, or the text of a fault"),
        FilterField(
            name: "result", what: "the completed command",
            values: CallKind.allCases.filter { $0.word == $0.rawValue }.map(\.word)),
        FilterField(name: "status", what: "the outcome; of a result also 'ok' or 'failed'", values: statuses),
        FilterField(name: "code", what: "the vendor's code of a result or of a callback"),
        FilterField(
            name: "dir", what: "in: an input of the node; out: an effect of it", values: ["in", "out"], isClosed: true),
        FilterField(name: "connection", what: "the number of the link"),
        FilterField(name: "cause", what: "the number of the event that caused it"),
        FilterField(
            name: "role", what: "the role of the event in a replay", values: EventRole.allCases.map(\.name),
            isClosed: true),
        FilterField(
            name: "channel", what: "the recording's channel", values: Channel.allCases.map(\.name), isClosed: true),
        FilterField(
            name: "profile", what: "the recording's system", values: Dialects.withVersions.map(\.profile),
            isClosed: true),
        FilterField(name: "title", what: "the recording's title"),
        FilterField(
            name: "final-state", what: "the last state of one of its clients", values: states, isClosed: true),
        FilterField(name: "kicks", what: "the number of kicks in the recording"),
        FilterField(
            name: "closed", what: "whether the recording was closed correctly", values: ["yes", "no"], isClosed: true),
    ]

    /// The fields of frames, commands, results and so on.
    static let facts: [FilterField] = described + undescribed

    /// The fields of `FieldName` that `common` does not contain.
    private static let declared: [FieldName] = {
        let names = Set(common.map(\.name))
        return FieldName.allCases.filter { !names.contains($0.rawValue) }
    }()

    /// The fields of `FieldName` that have a description.
    static let described: [FilterField] = declared.compactMap { name in
        name.meaning.map { meaning in
            let vendors = name == .step ? vendors(name.rawValue) : []
            return FilterField(name: name.rawValue, what: meaning, values: name.values + vendors)
        }
    }

    /// The fields without a description of their own.
    static let undescribed: [FilterField] =
        (declared.filter { $0.meaning == nil }.map(\.rawValue) + answerNames + dataNames).map {
            FilterField(name: $0, what: "as shown")
        }
        + (ServerPolicy.settings.map(\.key) + SyncPhase.allCases.map(\.name)).map {
            FilterField(name: $0, what: "a setting of the server")
        }

    /// The names of fields of local data that no other group contains.
    private static let dataNames: [String] = {
        let names = Set(common.map(\.name) + FieldName.allCases.map(\.rawValue) + answerNames)
        return DataFields.names.filter { !names.contains($0) }
    }()

    /// The names that the machines use in the answers to queries.
    private static let answerNames = [
        "account", "attempt-limit-ms", "client", "current", "data", "get", "heartbeat-answer-limit-ms", "heartbeat-ms",
        "interruption-grace-ms", "logout-limit-ms", "name", "push", "pushes", "resource", "retries", "timer",
        "undelivered-kick", "uuid",
    ]

    /// The fields of the vendors' callbacks that no other group contains.
    static let ofCallbacks: [FilterField] = {
        var knownNames = Set((common + facts).map(\.name))
        return Dialects.withVersions.flatMap(\.callbacks).flatMap(\.fields).compactMap { field in
            guard knownNames.insert(field.name).inserted else { return nil }
            return FilterField(name: field.name, what: "a field of a callback", values: vendors(field.name))
        }
    }()

    // MARK: Values

    private static let kinds = EventKind.allCases.map(\.rawValue)
    private static let states = ClientState.allCases.map(\.name)
    private static let statuses = Status.allCases.map(\.name) + ["failed"]

    private static let reasons = unique(
        StateReason.allCases.map(\.name) + KickReason.allCases.map(\.name) + GoodbyeReason.allCases.map(\.name)
            + vendors("reason"))

    private static let callbacks = unique(Dialects.withVersions.flatMap(\.callbacks).map(\.name))

    /// The possible values of a field of the vendors' callbacks.
    private static func vendors(_ name: String) -> [String] {
        unique(
            Dialects.withVersions.flatMap(\.callbacks).flatMap(\.fields).filter { $0.name == name }.flatMap(\.values))
    }

    private static func unique(_ values: [String]) -> [String] {
        var found: Set<String> = []
        return values.filter { found.insert($0).inserted }
    }
}
