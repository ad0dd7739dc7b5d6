import IMClient
import IMNetwork
import IMProtocol
import IMServer
import IMSession
import OrderedCollections
import Recorder
import SansIO

/// Something that came from outside of the machines and their links: what a user did.
public struct ForkCause: Sendable {
    public enum Action: Sendable {
        indirect case newClient(StartRecord)
        case app(WorldCore.AppAction)
        case client(ClientCommand)
        case server(ServerCommand)
        case net(NetAction)
        case skew(Interval)
        case serverProcess(WorldCore.ServerAction)
        case mark(String)
    }

    /// The number of the event that it was.
    public var number: UInt64
    public var time: Instant
    public var node: String
    public var action: Action
    /// Whether it no longer comes behind what it came behind.
    var isOutOfPlace = false
}

extension ForkTape {
    /// What a user did behind a place, in order.
    ///
    /// - Parameter place: how many events lie before.
    public func causes(from place: Int = 0) -> [ForkCause] {
        var known: OrderedSet<String> = []
        var causes: [ForkCause] = []
        for (index, event) in events.enumerated() {
            guard let action = action(of: event, known: &known), index >= place else { continue }
            causes.append(ForkCause(number: event.number, time: event.time, node: event.node, action: action))
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
        case .environment(let command): return ForkCause.action(ofCommand: command)
        case .mark(let text): return .mark(text)
        case .input, .effect, .header, .clock, .keyframe, .closing, .unreadable: return nil
        }
    }
}

extension ForkCause {
    /// What a command of the world's own says, as it is recorded.
    static func action(ofCommand command: String) -> Action? {
        let words = command.split(separator: " ").map(String.init)
        guard words.count > 1 else { return nil }
        switch (words[0], words[1]) {
        case ("app", "sleep"): return milliseconds(words.dropFirst(2).first).map { .app(.sleep($0)) }
        case ("clock", "skew"): return milliseconds(words.dropFirst(2).first).map { .skew($0) }
        case ("net", _): return NetAction(command: command).map { .net($0) }
        default: return nil
        }
    }

    static func milliseconds(_ text: String?) -> Interval? {
        guard let text, text.hasSuffix("ms"), let count = Int64(text.dropLast(2)),
            count.magnitude < UInt64(Int64.max / 1_000_000)
        else { return nil }
        return .milliseconds(count)
    }
}

extension NetAction {
    /// Reads what ``command`` writes; nil for anything else.
    init?(command: String) {
        let words = command.split(separator: " ").map(String.init)
        guard words.count >= 2, words[0] == "net" else { return nil }
        func option(_ name: String) -> String? {
            words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        switch words[1] {
        case "down": self = .down
        case "up": self = .up
        case "switch": self = .switchNetwork
        case "half-open": self = .halfOpen
        case "reset": self = .reset
        case "release": self = .release
        case "clear": self = .clear
        case "delay":
            guard let delay = ForkCause.milliseconds(words.dropFirst(2).first) else { return nil }
            self = .delay(delay, jitter: ForkCause.milliseconds(option("--jitter")) ?? .zero)
        case "loss":
            guard let text = words.dropFirst(2).first, let percent = Double(text.dropLast()),
                (0...100).contains(percent)
            else { return nil }
            self = .loss(UInt64((percent * 10_000).rounded()))
        default:
            // The name of a frame or a pattern of one, and nothing that could be more than a word.
            guard words.count > 2, let verb = FrameAction(rawValue: words[1]),
                words[2].utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
            else { return nil }
            let direction: LinkDirection? = option("--dir").map { $0 == "out" ? .toServer : .toClient }
            let count = option("--count").flatMap { UInt32($0) }
            self = .rule(FrameRule(verb, frame: words[2], direction: direction, count: count))
        }
    }
}
