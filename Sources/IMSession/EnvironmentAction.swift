import SansIO

/// What the world did to a node from outside of its machine.
public enum EnvironmentAction: Hashable, Sendable {
    /// Something was done to the network of a client.
    case net(NetAction)
    /// The device slept: no timer ran and no frame was read.
    case sleep(Interval)
    /// How far the device's wall clock is ahead of true time, or behind it (C-10).
    case clockSkew(Interval)
    /// Nothing was done: a log told of it.
    indirect case observed(LoggedEvent)
    /// What another version wrote, as it stands in the file.
    case other(String)

    /// As it stands in a file, and as a user types it.
    public var command: String {
        switch self {
        case .net(let action): action.command
        case .sleep(let length): "app sleep \(length.inMilliseconds)ms"
        case .clockSkew(let skew): "clock skew \(skew.inMilliseconds)ms"
        case .observed(let event): event.command
        case .other(let text): text
        }
    }

    /// Reads any text; ``command`` gives it back as it was.
    public init(command: String) {
        if let event = LoggedEvent(command: command) {
            self = .observed(event)
            return
        }
        let typed = EnvironmentAction(typed: command)
        self = typed?.command == command ? typed ?? .other(command) : .other(command)
    }

    /// Reads what a user types; nil for what means nothing.
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
