import IMClient
import IMDialects
import IMProtocol
import IMServer
import Recorder

/// The fields by where they come from.
enum FilterFieldCatalogue {
    /// What events and recordings say of themselves.
    static let own: [FilterField] = [
        FilterField(name: "kind", what: "what kind of event it is", values: kinds, isClosed: true),
        FilterField(name: "node", what: "the client, the server, or 'session'"),
        FilterField(name: "t", what: "when, since the session began: t > 12.5s"),
        FilterField(name: "n", what: "the event's number"),
        FilterField(name: "text", what: "the line that 'show' prints, or a message's text"),
        FilterField(name: "to", what: "a transition's new state; whom a message is for", values: states),
        FilterField(name: "from", what: "a transition's old state; whom a message is from", values: states),
        FilterField(name: "state", what: "the new state, ours or the vendor's", values: states + vendors("state")),
        FilterField(name: "reason", what: "why: of a transition, a kick, a goodbye, a callback", values: reasons),
        FilterField(
            name: "in-state", what: "the client's state when what led to the event came in", values: states,
            isClosed: true),
        FilterField(name: "type", what: "a frame's type", values: FrameBody.names + vendors("type")),
        FilterField(name: "callback", what: "the vendor's name of a callback", values: callbacks),
        FilterField(name: "command", what: "a command's name, or a fault as it is typed"),
        FilterField(
            name: "result", what: "the command that has ended",
            values: CallKind.allCases.filter { $0.word == $0.rawValue }.map(\.word)),
        FilterField(name: "status", what: "how it ended; of a result also 'ok' or 'failed'", values: statuses),
        FilterField(name: "code", what: "the vendor's code of a result or of a callback"),
        FilterField(name: "dir", what: "given to the node, or asked for by it", values: ["in", "out"], isClosed: true),
        FilterField(name: "connection", what: "the number of the link"),
        FilterField(name: "cause", what: "the number of the event that led to it"),
        FilterField(
            name: "role", what: "what the event is to a replay", values: EventRole.allCases.map(\.name), isClosed: true),
        FilterField(
            name: "channel", what: "the recording's channel", values: Channel.allCases.map(\.name), isClosed: true),
        FilterField(
            name: "profile", what: "the recording's system", values: Dialects.all.map(\.profile), isClosed: true),
        FilterField(name: "title", what: "the recording's title"),
        FilterField(
            name: "final-state", what: "the state in which one of its clients ends", values: states, isClosed: true),
        FilterField(name: "kicks", what: "how many kicks the recording has"),
        FilterField(
            name: "closed", what: "whether the recording was closed in order", values: ["yes", "no"], isClosed: true),
    ]

    /// What frames, commands, results and the like say.
    static let facts: [FilterField] = told + listed

    static let told: [FilterField] = [
        FilterField(name: "user", what: "the account"), FilterField(name: "device", what: "the device's id"),
        FilterField(name: "platform", what: "the device's platform", values: Platform.allCases.map(\.name)),
        FilterField(name: "request", what: "the number that a frame and its answer share"),
        FilterField(name: "epoch", what: "the number of the login"),
        FilterField(name: "credential", what: "the name of the secret"),
        FilterField(name: "mode", what: "the kind of login", values: LoginMode.allCases.map { "\($0)" }),
        FilterField(name: "by", what: "the device that caused a kick"),
        FilterField(name: "kicked", what: "the reason of a kick", values: KickReason.allCases.map(\.name)),
        FilterField(
            name: "step", what: "a step of the login", values: LoginStep.allCases.map(\.name) + vendors("step")),
        FilterField(name: "link", what: "what happens to a link", values: links),
        FilterField(name: "fault", what: "why a link failed or closed", values: LinkFault.allCases.map(\.name)),
        FilterField(name: "network", what: "what the network does", values: NetworkChange.allCases.map(\.name)),
        FilterField(name: "app", what: "what the app does", values: ["background", "foreground", "woke"]),
        FilterField(name: "slept-ms", what: "for how long the app slept"),
        FilterField(name: "said", what: "how much a side has said unasked, in heartbeats"),
        FilterField(name: "phase", what: "a part of the sync", values: SyncPhase.allCases.map { "\($0)" }),
        FilterField(name: "presence", what: "the user's presence", values: PresenceChange.allCases.map(\.name)),
        FilterField(name: "id", what: "the number or name of a command, message or item"),
        FilterField(name: "operation", what: "an account operation", values: OperationKind.allCases.map(\.name)),
        FilterField(name: "path", what: "a place of the tree"), FilterField(name: "value", what: "the value there"),
        FilterField(name: "members", what: "the users in a channel"), FilterField(name: "member", what: "one of them"),
        FilterField(name: "message", what: "the text of a message received"),
        FilterField(name: "error", what: "why an event or a frame cannot be read; a callback's error"),
        FilterField(name: "synced", what: "the part that was synced", values: SyncPhase.allCases.map(\.name)),
        FilterField(name: "what", what: "what is asked for", values: ClientQuery.allCases.map(\.name)),
    ]

    /// Those that need no words, or the words of their frame.
    static let listed: [FilterField] =
        [
            "account", "accounts", "action", "attempt-limit-ms", "attributes", "autologin", "autologin-failed", "by-ms",
            "bytes", "change",
            "channel-attributes", "channels", "client", "clock", "count", "current", "data", "detail", "devices",
            "expired", "ext", "first",
            "forced", "get", "heartbeat-answer-limit-ms", "heartbeat-ms", "ids", "in-ms", "interruption-grace-ms",
            "joined", "keep-push", "last", "last-result", "last-user", "logout-limit-ms", "merges", "more", "name",
            "new", "offline", "on", "others", "page", "push", "pushes", "reconnect-delay", "maxAutoLoginRetryTimes",
            "refused-channels", "refused-watches", "remaining-ms", "resource", "retries", "seed", "sync", "target",
            "timer", "token", "undelivered-kick",
            "uuid", "verb", "was-gone", "watched",
        ].map { FilterField(name: $0, what: "as shown") }
        + (ServerMachine.policyKeys.map(\.key) + SyncPhase.allCases.map(\.name)).map {
            FilterField(name: $0, what: "a setting of the server")
        }

    /// The fields of the vendors' callbacks that are not among the others.
    static let ofCallbacks: [FilterField] = {
        var known = Set((own + facts).map(\.name))
        return Dialects.all.flatMap(\.callbacks).flatMap(\.fields).compactMap { field in
            guard known.insert(field.name).inserted else { return nil }
            return FilterField(name: field.name, what: "a field of a callback", values: vendors(field.name))
        }
    }()

    // MARK: Values

    private static let kinds = EventKind.allCases.map(\.rawValue)
    private static let states = ClientState.allCases.map(\.name)
    private static let links = ["connect", "opened", "failed", "close", "closed"]
    private static let statuses = Status.allCases.map(\.name) + ["failed"]

    private static let reasons = unique(
        StateReason.allCases.map(\.name) + KickReason.allCases.map(\.name) + GoodbyeReason.allCases.map(\.name)
            + vendors("reason"))

    private static let callbacks = unique(Dialects.all.flatMap(\.callbacks).map(\.name))

    /// The values that a field of the vendors' callbacks can have.
    private static func vendors(_ name: String) -> [String] {
        unique(Dialects.all.flatMap(\.callbacks).flatMap(\.fields).filter { $0.name == name }.flatMap(\.values))
    }

    private static func unique(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0).inserted }
    }
}
