import IMClient
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Replays a recording in which one event is left out, delayed or changed. The change must have its effect, and all
/// other external events must happen at their recorded times (C-16).
enum WhatIfCheck {
    private static let delay = Interval.milliseconds(10)

    static func failure(_ decoded: DecodedSession, _ header: SessionHeader) throws -> String? {
        let isAsleepEver = decoded.events.contains {
            if case .environment(.sleep) = $0.content { true } else { false }
        }
        guard decoded.rejectionReason == nil, !isAsleepEver else { return nil }
        return try command(decoded, header) ?? frame(decoded, header)
    }

    // MARK: Commands

    private static func command(_ decoded: DecodedSession, _ header: SessionHeader) throws -> String? {
        let commandEvents = decoded.events.filter {
            $0.isCommand && decoded.rejectionReason(toChanging: $0.number) == nil
        }
        guard let event = commandEvents.dropFirst(commandEvents.count / 2).first, event.time + delay < decoded.end
        else { return nil }
        let others = decoded.events.filter { $0.number != event.number }
        if let withoutEvent = try altered(decoded, .mute, event, header), commands(withoutEvent) != commands(others) {
            return "without one command, the other commands are not the same"
        }
        if let delayed = try altered(decoded, .delay(delay), event, header) {
            var other = event
            other.time = event.time + delay
            guard commands(delayed) == commands(others + [other]) else {
                return "with one delayed command, the other commands are not the same"
            }
        }
        guard case .input(.clientCommand(_, .send(let to, _, let isToChannel))) = event.content else { return nil }
        guard let edited = try altered(decoded, .edit(field: "text", value: "other"), event, header) else { return nil }
        let expectedCommand = ClientCommand.send(to: to, text: "other", isToChannel: isToChannel)
        let isFound = edited.contains { edited in
            guard case .input(.clientCommand(_, let command)) = edited.content else { return false }
            return command == expectedCommand && edited.time == event.time && edited.node == event.node
        }
        return isFound && commands(edited).count == commands(others).count + 1
            ? nil : "a changed command is not changed in the run"
    }

    /// The time, node and name of each command, sorted.
    private static func commands(_ events: [SessionEvent]) -> [String] {
        events.compactMap { event in
            guard case .input(.clientCommand(_, let command)) = event.content else { return nil }
            return "\(event.time.nanoseconds) \(event.node) \(command.facts.first?.value ?? "")"
        }
        .sorted()
    }

    // MARK: Frames

    private static func frame(_ decoded: DecodedSession, _ header: SessionHeader) throws -> String? {
        let arrived = decoded.events.filter { event in
            guard case .input(.frame(_, let frame)) = event.content, !frame.body.isHeartbeat else { return false }
            return decoded.rejectionReason(toChanging: event.number) == nil
        }
        guard let event = arrived.dropFirst(arrived.count / 2).first, event.time + delay < decoded.end,
            case .input(let input) = event.content, let connection = input.connection,
            decoded.events.count(where: { $0.isInput(input, of: event.node) }) == 1
        else { return nil }
        if let withoutEvent = try altered(decoded, .mute, event, header),
            withoutEvent.contains(where: { $0.time == event.time && $0.isInput(input, of: event.node) })
        {
            return "a frame that was removed arrives"
        }
        guard let delayed = try altered(decoded, .delay(delay), event, header) else { return nil }
        let ownEvents = delayed.filter { $0.node == event.node && $0.time >= event.time }
        let isFound = ownEvents.contains { $0.isInput(input, of: event.node) && $0.time == event.time + delay }
        let hasNodeEnded = ownEvents.contains { other in
            switch other.content {
            case .stop, .start: other.time <= event.time + delay
            case .input(.linkClosed(connection, _)), .input(.linkFailed(connection, _)),
                .effect(.closeLink(connection)):
                other.time <= event.time + delay
            default: false
            }
        }
        return isFound || hasNodeEnded ? nil : "a delayed frame does not arrive at the delayed time"
    }

    /// The events of the changed scenario; nil if one of its external events could not be carried out.
    private static func altered(
        _ decoded: DecodedSession, _ change: WhatIf.Change, _ event: SessionEvent, _ header: SessionHeader
    ) throws -> [SessionEvent]? {
        let configuration = try WorldConfiguration(continuing: header)
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: header, epochNanoseconds: configuration.epochNanoseconds)
        let outcome = try WhatIf(decoded, change, at: event.number).run(configuration, recording: recording)
        guard outcome.skipped.isEmpty else { return nil }
        return try DecodedSession(SessionReader(bytes: sink.bytes)).events
    }
}

extension SessionEvent {
    fileprivate var isCommand: Bool {
        if case .input(.clientCommand) = content { true } else { false }
    }

    fileprivate func isInput(_ input: NodeInput, of node: String) -> Bool {
        if self.node == node, case .input(input) = content { true } else { false }
    }
}
