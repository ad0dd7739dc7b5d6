import IMClient
import IMProtocol
import IMServer
import IMSession
import OrderedCollections
import Recorder
import SansIO

/// A user's action in a recording, which a rerun performs again.
public struct ForkCause: Sendable {
    /// The kind of the action.
    public enum Action: Sendable {
        /// A client was created.
        indirect case newClient(StartRecord)
        /// An action on a client's app.
        case app(AppAction)
        /// A command to a client.
        case client(ClientCommand)
        /// A command to the server.
        case server(ServerCommand)
        /// A change of a client's network.
        case net(NetAction)
        /// A device's wall clock was set. The interval is positive if the clock is ahead of true time, negative if it
        /// is behind (C-10).
        case skew(Interval)
        /// An action on the server's process.
        case serverProcess(WorldCore.ServerAction)
        /// The user's note.
        case mark(String)
    }

    /// The number of the action's event.
    public var number: UInt64
    /// The time of the action in the session.
    public var time: Instant
    /// The name of the node that the action concerns; `session` for a note.
    public var node: String
    /// The action.
    public var action: Action
    /// The number that a command's result carries; nil if it is not a command.
    var command: CommandID?
    /// True if the action was delayed, so that it no longer follows the event that precedes it in the recording.
    var isMoved = false
}

extension DecodedSession {
    /// The user's actions from an index on, in order.
    ///
    /// - Parameter firstIndex: the number of events to skip.
    public func causes(from firstIndex: Int = 0) -> [ForkCause] {
        var known: OrderedSet<String> = []
        var causes: [ForkCause] = []
        for (index, event) in events.enumerated() {
            guard let action = action(of: event, known: &known), index >= firstIndex else { continue }
            causes.append(
                ForkCause(
                    number: event.number, time: event.time, node: event.node, action: action, command: event.command))
        }
        return causes
    }

    /// Marks the name of a closed node. No name of a node contains a space, so a marked name equals no other name.
    private static let closed = "closed "

    private func action(of event: SessionEvent, known: inout OrderedSet<String>) -> ForkCause.Action? {
        switch event.content {
        case .start(let start):
            let isNew = known.append(event.node).inserted
            switch start.body {
            case .server: return isNew ? nil : .serverProcess(.up)
            case .client: return isNew ? .newClient(start) : .app(.start)
            }
        // The client was closed in an orderly way. Its `closing` input is already one of the actions.
        case .stop where known.contains(Self.closed + event.node): return nil
        case .stop: return event.node == WorldCore.serverName ? .serverProcess(.down) : .app(.kill)
        case .input(.clientCommand(_, let command)): return .client(command)
        case .input(.serverCommand(_, let command)): return .server(command)
        case .input(.app(.background)): return .app(.background)
        case .input(.app(.foreground)): return .app(.foreground)
        case .input(.app(.closing)):
            known.append(Self.closed + event.node)
            return .app(.close)
        case .environment(let action): return ForkCause.Action(action)
        case .mark(let text): return .mark(text)
        case .input, .effect, .header, .clock, .keyframe, .closing, .unreadable: return nil
        }
    }
}

extension ForkCause.Action {
    /// Nil for an action that this version does not support.
    init?(_ action: EnvironmentAction) {
        switch action {
        case .net(let action): self = .net(action)
        case .sleep(let length): self = .app(.sleep(length))
        case .clockSkew(let skew): self = .skew(skew)
        case .other, .observed: return nil
        }
    }
}

extension SessionEvent {
    fileprivate var command: CommandID? {
        switch content {
        case .input(.clientCommand(let command, _)), .input(.serverCommand(let command, _)): command
        default: nil
        }
    }
}
