import IMClient
import IMProtocol
import Recorder

/// Properties of an event that its header and first bytes show, without decoding it. The field numbers are those of
/// `record.proto` and `frame.proto`.
package enum EventPeek {
    /// The possible kinds of the event: several if the bytes do not decide it. An event that must be decoded can also
    /// be unreadable.
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
    /// Events from a log are stored like faults, on the channel of their kind.
    private static let observedCalls = EventKinds(.command, .result, .callback, .fault, .unreadable)
    private static let observedFrames = EventKinds(.frame, .fault, .unreadable)
    static let frames = EventKinds(.frame, .unreadable)
    static let transitions = EventKinds(.transition, .unreadable)

    /// The kinds by the number of the record's field.
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

    /// The number of the only field in the bytes. Nil if there may be others, which a reader would have to combine.
    private static func onlyField(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 2, bytes[0] & 0x87 == 2, holdsRest(bytes, from: 1) else { return nil }
        return Int(bytes[0] >> 3)
    }

    /// True if a length begins here and exactly that many bytes follow up to the end.
    private static func holdsRest(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var length = 0
        var index = start
        while index < bytes.count, index < start + 4 {
            length |= Int(bytes[index] & 0x7F) << (7 * (index - start))
            index += 1
            if bytes[index - 1] < 0x80 { return bytes.count - index == length }
        }
        return false
    }

    /// The change in a transition's record; nil for an unusual record.
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

    /// True if the event is a frame without fields of its own, so that it lacks the condition's field. Most events
    /// of a long recording are such frames.
    static func isSilent(_ view: EventView, about field: String) -> Bool {
        guard view.channel == .transport, field != "type", field != "request", field != "text" else { return false }
        return Frame(plain: view.payload) != nil
    }

    private static let namesOfUsers: Set = ["set-attributes", "answer", "settle", "changes", "change"]

    /// The type of a readable frame. Nil if its first bytes do not decide it, and for frames that contain names which
    /// the user chose.
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
        guard holdsRest(bytes, from: index + 1), let name = FrameBody.name(ofField: UInt64(number)) else { return nil }
        return namesOfUsers.contains(name) ? nil : name
    }
}

extension FilterComparison {
    /// The verdict on events of a kind and a role, from these two alone.
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

    /// The verdict on an event before it is decoded.
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
        case .any(let field) where possible == EventPeek.frames && EventPeek.isSilent(view, about: field),
            .fact(let field) where possible == EventPeek.frames && EventPeek.isSilent(view, about: field):
            return holds(for: []) ? .yes : .no
        case .any("type") where possible == EventPeek.frames, .fact("type") where possible == EventPeek.frames:
            guard view.channel == .transport, let type = EventPeek.frameType(view.payload) else { return .maybe }
            return holds(for: [type]) ? .maybe : .no
        case .kind, .role, .direction, .channel, .any, .fact, .callbackField:
            return peek(at: possible, role: view.role)
        }
    }

    private func peek(at possible: EventKinds, role: EventRole) -> FilterVerdict {
        possible.agree { peek(at: $0, role: role) } ?? .maybe
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
