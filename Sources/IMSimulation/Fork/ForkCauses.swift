import IMClient
import IMProtocol
import IMServer
import IMSession
import OrderedCollections
import Recorder
import SansIO

/// Something that came from outside of the machines and their links: what a user did.
public struct ForkCause: Sendable {
    /// What was done.
    public enum Action: Sendable {
        /// A client was made.
        indirect case newClient(StartRecord)
        /// Something was done to a client's app.
        case app(AppAction)
        /// A client was asked for something.
        case client(ClientCommand)
        /// The server was asked for something.
        case server(ServerCommand)
        /// Something was done to a client's network.
        case net(NetAction)
        /// A device's wall clock was set so far ahead of true time, or behind it (C-10).
        case skew(Interval)
        /// Something was done to the server's process.
        case serverProcess(WorldCore.ServerAction)
        /// The user's note.
        case mark(String)
    }

    /// The number of the event that it was.
    public var number: UInt64
    /// When it was done, in the session's time.
    public var time: Instant
    /// The name of the node that it was done to; `session` for a note.
    public var node: String
    /// What was done.
    public var action: Action
    /// What a command's result names it by; nil for what is no command.
    var command: CommandID?
    /// Whether it no longer comes behind what it came behind.
    var isOutOfPlace = false
}

extension DecodedSession {
    /// What a user did behind a place, in order.
    ///
    /// - Parameter place: how many events lie before.
    public func causes(from place: Int = 0) -> [ForkCause] {
        var known: OrderedSet<String> = []
        var causes: [ForkCause] = []
        for (index, event) in events.enumerated() {
            guard let action = action(of: event, known: &known), index >= place else { continue }
            causes.append(
                ForkCause(
                    number: event.number, time: event.time, node: event.node, action: action, command: event.command))
        }
        return causes
    }

    /// Before the name of a node that was closed; no name has a space.
    private static let closed = "closed "

    private func action(of event: SessionEvent, known: inout OrderedSet<String>) -> ForkCause.Action? {
        switch event.content {
        case .start(let start):
            let isNew = known.append(event.node).inserted
            switch start.body {
            case .server: return isNew ? nil : .serverProcess(.up)
            case .client: return isNew ? .newClient(start) : .app(.start)
            }
        // The end of what was closed.
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
    /// Nil for what this version does not know.
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
