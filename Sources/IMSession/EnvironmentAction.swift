import SansIO

/// An action on a node that is not an input of its machine, such as a network fault.
public enum EnvironmentAction: Hashable, Sendable {
    /// A change of a client's network.
    case net(NetAction)
    /// The device slept: no timer ran and no frame was read.
    case sleep(Interval)
    /// The device's wall clock was set to this difference from the true time; positive if it is ahead (C-10).
    case clockSkew(Interval)
    /// An event that was read from a log. It is no action, but a session stores it like one.
    indirect case observed(LoggedEvent)
    /// An action that this version does not know, as the unchanged text from the file.
    case other(String)

    /// The text of the action: a session stores it, and a user types it.
    public var command: String {
        switch self {
        case .net(let action): action.command
        case .sleep(let length): "app sleep \(length.inMilliseconds)ms"
        case .clockSkew(let skew): "clock skew \(skew.inMilliseconds)ms"
        case .observed(let event): event.command
        case .other(let text): text
        }
    }

    /// Reads an action from a file. Any text is accepted, and ``command`` returns the same text.
    public init(command: String) {
        if let event = LoggedEvent(command: command) {
            self = .observed(event)
            return
        }
        let typed = EnvironmentAction(typed: command)
        self = typed?.command == command ? typed ?? .other(command) : .other(command)
    }

    /// Reads an action that a user typed; nil if the text is not one.
    public init?(typed command: String) {
        let words = command.split(separator: " ").map(String.init)
        guard words.count > 1 else { return nil }
        switch (words[0], words[1]) {
        case ("app", "sleep"):
            guard let length = NetAction.milliseconds(words.dropFirst(2).first) else { return nil }
            self = .sleep(length)
        case ("clock", "skew"):
            guard let skew = NetAction.milliseconds(words.dropFirst(2).first) else { return nil }
            self = .clockSkew(skew)
        default:
            guard let action = NetAction(command: command) else { return nil }
            self = .net(action)
        }
    }
}
