import SansIO

/// An action of the world on a node, from outside of its machine.
public enum EnvironmentAction: Hashable, Sendable {
    /// A change of a client's network.
    case net(NetAction)
    /// The device slept: no timer ran and no frame was read.
    case sleep(Interval)
    /// The device's wall clock was set: positive is ahead of true time, negative is behind it (C-10).
    case clockSkew(Interval)
    /// No action: an event that was read from a log.
    indirect case observed(LoggedEvent)
    /// An action that another version wrote, as it is in the file.
    case other(String)

    /// The text of the action, in a file and as a user types it.
    public var command: String {
        switch self {
        case .net(let action): action.command
        case .sleep(let length): "app sleep \(length.inMilliseconds)ms"
        case .clockSkew(let skew): "clock skew \(skew.inMilliseconds)ms"
        case .observed(let event): event.command
        case .other(let text): text
        }
    }

    /// Accepts any text; ``command`` returns it unchanged.
    public init(command: String) {
        if let event = LoggedEvent(command: command) {
            self = .observed(event)
            return
        }
        let typed = EnvironmentAction(typed: command)
        self = typed?.command == command ? typed ?? .other(command) : .other(command)
    }

    /// Reads an action that a user typed; nil if it is not one.
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
