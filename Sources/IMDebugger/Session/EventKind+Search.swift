import Recorder

extension EventKind {
    /// The kinds of events for which the command `next` can search. `show --json` uses the same names.
    package static let searchable = [
        "transition", "frame", "command", "result", "callback", "link", "timer", "fault", "network", "app", "store",
        "presence", "mark", "start", "stop", "keyframe",
    ]

    /// True if an event can be of a kind. The event is not decoded, so true does not mean that the event is of this
    /// kind.
    package static func mayBe(_ kind: String, _ view: EventView) -> Bool {
        // An event of an observed session has this role, and can be of any kind.
        if view.role == .environment { return true }
        return switch kind {
        case "transition", "store", "presence": view.role == .effect && view.channel == .runtime
        case "frame": view.channel == .transport
        case "command": view.role == .input && view.channel == .sdk
        case "result", "callback": view.role == .effect && view.channel == .sdk
        case "link": view.channel == .runtime && view.stream != 0
        case "timer", "network", "app": view.role == .input && view.channel == .runtime
        case "fault": view.role == .environment
        case "mark": view.role == .mark
        case "start": view.role == .start
        case "stop": view.role == .stop
        case "keyframe": view.role == .keyframe
        default: true
        }
    }
}
