/// The field that a filter reads.
package enum FilterName: Hashable, Sendable {
    /// Properties of every event.
    case number, time, node, kind, direction, role, channel, connection, cause
    /// The state of the node's client before the input that caused the event.
    case inState
    /// A property of the whole recording.
    case session(SessionField)
    /// A name without a prefix: a field of the event, a field of the vendor's callback, or a computed field such as
    /// `text` or `result`.
    case any(String)
    /// `fields.NAME`: only the event's own field with this name.
    case fact(String)
    /// `callback.NAME`: only the field with this name in the vendor's callback.
    case callbackField(String)

    /// The properties of a recording, as written in a filter.
    package enum SessionField: String, CaseIterable, Hashable, Sendable {
        case profile, title, kicks
        case finalState = "final-state"
        case closed
    }

    private static let own: [String: FilterName] = [
        "n": .number, "t": .time, "node": .node, "kind": .kind, "dir": .direction, "role": .role,
        "channel": .channel, "connection": .connection, "cause": .cause, "in-state": .inState,
    ]

    static let factPrefix = "fields."
    static let callbackPrefix = "callback."

    /// Accepts every name. ``FilterFields`` checks whether an event can have a field with the name.
    package init(_ text: String) {
        if let own = Self.own[text] {
            self = own
        } else if let session = SessionField(rawValue: text) {
            self = .session(session)
        } else if text.hasPrefix(Self.factPrefix) {
            self = .fact(String(text.dropFirst(Self.factPrefix.count)))
        } else if text.hasPrefix(Self.callbackPrefix) {
            self = .callbackField(String(text.dropFirst(Self.callbackPrefix.count)))
        } else {
            self = .any(text)
        }
    }

    /// The name as it is written in a filter.
    var text: String {
        switch self {
        case .session(let field): field.rawValue
        case .any(let name): name
        case .fact(let name): Self.factPrefix + name
        case .callbackField(let name): Self.callbackPrefix + name
        case .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause, .inState:
            Self.own.first { $0.value == self }?.key ?? ""
        }
    }

    /// True if numbers without a unit are milliseconds.
    var isInMilliseconds: Bool {
        switch self {
        case .any(let name), .fact(let name), .callbackField(let name): name.hasSuffix("-ms")
        case .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause, .inState, .session: false
        }
    }
}

/// The kinds of event. The raw values are those of ``SessionEvent/kind``.
package enum EventKind: String, CaseIterable, Hashable, Sendable {
    case header, clock, start, stop, fault, mark, keyframe, closing, unreadable
    case frame, link, timer, network, app, command, store, data, result, callback, transition, presence
    /// A line of a log that no pattern matches.
    case line
}

/// A set of kinds of event.
package struct EventKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package init(_ kinds: EventKind...) {
        rawValue = kinds.reduce(0) { $0 | Self.bit($1) }
    }

    package static let none: EventKinds = []
    static let all = EventKinds(rawValue: (1 << UInt32(EventKind.allCases.count)) - 1)

    /// Each kind with its bit. Searches test these bits for each event, because comparing the names of kinds would be
    /// slower.
    private static let bits: [(kind: EventKind, bit: UInt32)] =
        EventKind.allCases.enumerated().map { ($0.element, 1 << UInt32($0.offset)) }

    private static func bit(_ kind: EventKind) -> UInt32 { bits.first { $0.kind == kind }?.bit ?? 0 }

    package func contains(_ kind: EventKind) -> Bool { rawValue & Self.bit(kind) != 0 }

    /// The verdict that is the same for all kinds in the set. Nil if the verdicts differ, or if the set is empty.
    func commonVerdict(_ verdict: (EventKind) -> FilterVerdict) -> FilterVerdict? {
        var common: FilterVerdict?
        for (kind, bit) in Self.bits where rawValue & bit != 0 {
            let next = verdict(kind)
            if common ?? next != next { return nil }
            common = next
        }
        return common
    }
}
