import IMClient
import IMProtocol
import Recorder

/// Finds properties of an event from its header and its first bytes, without decoding the event. The field numbers are
/// those of `record.proto` and `frame.proto`.
package enum EventPeek {
    /// The kinds that the event can have. There are several if its first bytes do not determine the kind. A damaged
    /// event is of the kind `unreadable`, which only decoding shows.
    package static func kinds(of view: EventView) -> EventKinds {
        switch view.role {
        case .header: return headers
        case .clock: return clocks
        case .stop: return stops
        case .mark: return marks
        case .keyframe: return keyframes
        case .closing: return closings
        case .start: return starts
        case .environment:
            switch view.channel {
            case .sdk: return observedCalls
            case .transport: return observedFrames
            case .runtime: return faults
            }
        case .input, .effect:
            if view.channel == .transport { return frames }
            guard let number = onlyField(of: view.payload) else { return .all }
            let known = view.role == .input ? inputs : effects
            return number < known.count ? known[number] : unreadable
        }
    }

    private static let unreadable = EventKinds(.unreadable)
    private static let headers = EventKinds(.header)
    private static let clocks = EventKinds(.clock)
    private static let stops = EventKinds(.stop)
    private static let marks = EventKinds(.mark)
    private static let keyframes = EventKinds(.keyframe)
    private static let closings = EventKinds(.closing)
    private static let starts = EventKinds(.start, .unreadable)
    private static let faults = EventKinds(.fault, .app, .line, .unreadable)
    /// Events of an observed session have the role of faults, and the channel that belongs to their kind.
    private static let observedCalls = EventKinds(.command, .result, .callback, .fault, .unreadable)
    private static let observedFrames = EventKinds(.frame, .fault, .unreadable)
    static let frames = EventKinds(.frame, .unreadable)
    static let transitions = EventKinds(.transition, .unreadable)

    /// The kinds of inputs and of effects. The payload of an input or effect has only one field. The index is the number
    /// of this field.
    private static let inputs = table([
        2: .command, 3: .command, 5: .link, 6: .frame, 7: .timer, 8: .network, 9: .app,
    ])
    private static let effects = table([
        4: .result, 5: .link, 10: .store, 11: .callback, 12: .transition, 13: .presence, 15: .store,
    ])

    private static func table(_ kinds: KeyValuePairs<Int, EventKind>) -> [EventKinds] {
        var table = [EventKinds](repeating: EventKinds(.unreadable), count: 16)
        for (number, kind) in kinds { table[number] = EventKinds(kind, .unreadable) }
        return table
    }

    /// The number of the only field in the bytes. Nil if there may be several fields, because then only decoding
    /// determines the kind.
    private static func onlyField(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 2, bytes[0] & 0x87 == 2, isLengthOfRest(bytes, from: 1) else { return nil }
        return Int(bytes[0] >> 3)
    }

    /// True if the varint at `start` is the exact number of bytes that follow it.
    private static func isLengthOfRest(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var length = 0
        var index = start
        while index < bytes.count, index < start + 4 {
            length |= Int(bytes[index] & 0x7F) << (7 * (index - start))
            index += 1
            if bytes[index - 1] < 0x80 { return bytes.count - index == length }
        }
        return false
    }

    /// The change in the record of a transition. Nil if the record does not have the usual layout, so that it must be
    /// decoded.
    package static func transition(_ bytes: UnsafeRawBufferPointer) -> StateChange? {
        guard bytes.count >= 2, bytes[0] == 12 << 3 | 2, bytes[1] < 0x80, Int(bytes[1]) == bytes.count - 2 else {
            return nil
        }
        var from: UInt8 = 0
        var to: UInt8 = 0
        var reason: UInt8 = 0
        var index = 2
        while index < bytes.count {
            guard index + 1 < bytes.count, bytes[index + 1] < 0x80 else { return nil }
            switch bytes[index] {
            case 1 << 3: from = bytes[index + 1]
            case 2 << 3: to = bytes[index + 1]
            case 3 << 3: reason = bytes[index + 1]
            default: return nil
            }
            index += 2
        }
        guard let from = ClientState(rawValue: from), let to = ClientState(rawValue: to),
            let reason = StateReason(rawValue: reason)
        else { return nil }
        return StateChange(from: from, to: to, reason: reason)
    }

    /// True if the event is a frame without contents, such as a heartbeat, so that it cannot have the field. Most
    /// events of a long recording are such frames.
    static func lacksField(_ view: EventView, _ field: String) -> Bool {
        guard view.channel == .transport, field != "type", field != "request", field != "text" else { return false }
        return Frame(plain: view.payload) != nil
    }

    private static let typesWithUserNames: Set = ["set-attributes", "answer", "settle", "changes", "change"]

    /// The type of a frame. Nil if the first bytes do not determine it, and for the types in `typesWithUserNames`,
    /// whose frames can contain a field named `type` that a user chose.
    static func frameType(_ bytes: UnsafeRawBufferPointer) -> String? {
        var index = 0
        if bytes.count > 1, bytes[0] == 1 << 3 {
            index = 1
            while index < bytes.count, index < 6, bytes[index] >= 0x80 { index += 1 }
            index += 1
        }
        guard index + 1 < bytes.count, bytes[index] & 7 == 2 else { return nil }
        var number = Int(bytes[index] & 0x7F) >> 3
        if bytes[index] >= 0x80 {
            guard bytes[index + 1] < 0x80 else { return nil }
            number |= Int(bytes[index + 1]) << 4
            index += 1
        }
        guard isLengthOfRest(bytes, from: index + 1), let name = FrameBody.name(ofField: UInt64(number)) else {
            return nil
        }
        return typesWithUserNames.contains(name) ? nil : name
    }
}

extension FilterComparison {
    /// The verdict on an event of which only the kind and the role are known.
    func peek(at kind: EventKind, role: EventRole) -> FilterVerdict {
        switch name {
        case .kind: return holds(for: [kind.rawValue]) ? .yes : .no
        case .role:
            let isRole = holds(for: [role.name])
            return kind == .unreadable && isRole ? .maybe : isRole ? .yes : .no
        case .direction:
            if role == .environment, kind == .frame { return .maybe }
            return holds(for: EventFields.directions(kind, role)) ? .yes : .no
        case .channel:
            let verdicts = EventFields.channels(kind).map { holds(for: [$0]) }
            if kind == .unreadable { return verdicts.contains(true) ? .maybe : .no }
            return verdicts.allSatisfy { $0 } ? .yes : verdicts.contains(true) ? .maybe : .no
        case .number, .time, .node, .connection, .cause, .inState, .session: return .maybe
        case .any, .fact, .callbackField: return FilterFields.canHave(name, kind) ? .maybe : .no
        }
    }

    /// The verdict on an event that is not decoded.
    ///
    /// - Parameter possible: the kinds that the event can have.
    func peek(at view: EventView, possible: EventKinds, reader: SessionReader) -> FilterVerdict {
        switch name {
        case .number: return holds(for: [String(view.number)]) ? .yes : .no
        case .cause: return holds(for: view.cause == 0 ? [] : [String(view.cause)]) ? .yes : .no
        case .time: return holds(forTime: view.time) ? .yes : .no
        case .node: return holds(for: [reader.name(of: view.node)]) ? .yes : .no
        case .connection, .inState, .session: return .maybe
        case .any(let field) where possible == EventPeek.transitions && field != "text":
            return peek(atTransition: view, field)
        case .fact(let field) where possible == EventPeek.transitions: return peek(atTransition: view, field)
        case .any(let field) where possible == EventPeek.frames && EventPeek.lacksField(view, field),
            .fact(let field) where possible == EventPeek.frames && EventPeek.lacksField(view, field):
            return holds(for: []) ? .yes : .no
        case .any("type") where possible == EventPeek.frames, .fact("type") where possible == EventPeek.frames:
            guard view.channel == .transport, let type = EventPeek.frameType(view.payload) else { return .maybe }
            return holds(for: [type]) ? .maybe : .no
        case .kind, .role, .direction, .channel, .any, .fact, .callbackField:
            return peek(at: possible, role: view.role)
        }
    }

    private func peek(at possible: EventKinds, role: EventRole) -> FilterVerdict {
        possible.commonVerdict { peek(at: $0, role: role) } ?? .maybe
    }

    private func peek(atTransition view: EventView, _ field: String) -> FilterVerdict {
        guard let change = EventPeek.transition(view.payload) else { return .maybe }
        switch field {
        case "from": return holds(for: [change.from.name]) ? .yes : .no
        case "to": return holds(for: [change.to.name]) ? .yes : .no
        default: return .maybe
        }
    }
}
