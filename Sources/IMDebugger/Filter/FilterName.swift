/// Where a filter looks for a value.
package enum FilterName: Hashable, Sendable {
    /// What every event says of itself.
    case number, time, node, kind, direction, role, channel, connection, cause
    /// The state that the node's client was in when what led to the event came in.
    case inState
    /// What the whole recording says of itself.
    case session(SessionField)
    /// A fact or a field of the callback, or what stands for it.
    case any(String)
    /// `fields.NAME`: a fact of that name and nothing else.
    case fact(String)
    /// `callback.NAME`: a field of the vendor's callback and nothing else.
    case callbackField(String)

    /// What a recording says of itself, as it is written in a filter.
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

    /// Whatever is written is a name; whether any event can have it is ``FilterFields``' to say.
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

    /// As it is written in a filter.
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

    /// Whether plain numbers of it are milliseconds.
    var isInMilliseconds: Bool {
        switch self {
        case .any(let name), .fact(let name), .callbackField(let name): name.hasSuffix("-ms")
        case .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause, .inState, .session: false
        }
    }
}

/// The kinds of event, as ``SessionEvent/kind`` calls them.
package enum EventKind: String, CaseIterable, Hashable, Sendable {
    case header, clock, start, stop, fault, mark, keyframe, closing, unreadable
    case frame, link, timer, network, app, command, store, data, result, callback, transition, presence
    /// A line of a log that no pattern understands.
    case line
}

/// Some of the kinds.
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

    /// Every kind with its bit. Searches go through it for each event, so nothing is looked up by name.
    private static let bits: [(kind: EventKind, bit: UInt32)] =
        EventKind.allCases.enumerated().map { ($0.element, 1 << UInt32($0.offset)) }

    private static func bit(_ kind: EventKind) -> UInt32 { bits.first { $0.kind == kind }?.bit ?? 0 }

    package func contains(_ kind: EventKind) -> Bool { rawValue & Self.bit(kind) != 0 }

    /// Whether the condition holds for all kinds in the set, or for none; nil where it is neither, or the set is empty.
    func agree(_ verdict: (EventKind) -> FilterVerdict) -> FilterVerdict? {
        var common: FilterVerdict?
        for (kind, bit) in Self.bits where rawValue & bit != 0 {
            let next = verdict(kind)
            if common ?? next != next { return nil }
            common = next
        }
        return common
    }
}
