public import SansIO

/// Checks that machines behave as in a recorded session.
///
/// It creates the machines from the recorded starts, and passes the recorded inputs to them. It compares their effects,
/// and their states at each keyframe, with the recording byte by byte.
public struct Verifier<Schema: SessionSchema> {
    /// The handling of a recording of another behaviour version.
    public enum BehaviourPolicy: Sendable {
        /// The recording is refused.
        case same
        /// The recording is replayed, to find the first difference in behaviour.
        case any
    }

    @usableFromInline let schema: Schema
    @usableFromInline let nodeNames: [String]
    /// The machines after the last event.
    public var state: Replay<Schema> { replay }
    @usableFromInline var replay = Replay<Schema>()
    /// The effects of the last input, and the number of them that already matched a recorded effect.
    @usableFromInline var effects: [Schema.Subject.Effect] = []
    @usableFromInline var matched = 0
    /// The last input, with its node and time.
    @usableFromInline var inputNumber: UInt64 = 0
    @usableFromInline var inputNode = NodeIndex.session
    @usableFromInline var inputTime = Instant.zero
    @usableFromInline var draft = EventDraft()

    /// - Parameter nodeNames: the names of the nodes by node index, for messages.
    public init(schema: Schema, nodeNames: [String]) {
        self.schema = schema
        self.nodeNames = nodeNames
    }

    /// Replays a whole session.
    ///
    /// - Returns: the first difference, or that there is none.
    /// - Throws: ``SessionError`` if the file is damaged, contains other machines, or contains events that the schema
    ///   cannot decode.
    @inlinable
    public static func verify(
        _ reader: SessionReader, schema: Schema, behaviour: BehaviourPolicy = .same
    ) throws(SessionError) -> Verification {
        try reader.requireFormat(of: schema, sameBehaviour: behaviour == .same)
        var verifier = Verifier(schema: schema, nodeNames: reader.nodes)
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            if let divergence = try verifier.check(view) { return .diverged(divergence) }
        }
        // The closing event is checked like any other event. If it is missing, the last effects of the session may be
        // missing too, because they were never written. This is no difference.
        return .verified(events: scanner.lastNumber)
    }

    /// Checks the next event of the recording.
    ///
    /// - Returns: the difference; nil if the replay does not differ.
    @inlinable
    public mutating func check(_ view: EventView) throws(SessionError) -> Divergence? {
        if view.role == .effect { return compareEffect(view) }
        if matched < effects.count { return unmatched(before: view.number) }
        switch view.role {
        case .input:
            effects.removeAll(keepingCapacity: true)
            matched = 0
            inputNumber = view.number
            inputNode = view.node
            inputTime = view.time
            try apply(view)
        case .start, .stop:
            try apply(view)
        case .keyframe:
            return try compareState(view)
        case .header, .clock, .effect, .environment, .mark, .closing:
            break
        }
        return nil
    }

    @inlinable
    mutating func apply(_ view: EventView) throws(SessionError) {
        try replay.apply(view, schema: schema, effects: &effects, nodeNames: nodeNames)
    }

    @inlinable
    mutating func compareEffect(_ view: EventView) -> Divergence? {
        guard matched < effects.count, view.node == inputNode else {
            return difference(from: view)
        }
        draft.clear()
        schema.encode(effects[matched], into: &draft)
        guard draft.channel == view.channel, draft.direction == view.direction, draft.stream == view.stream,
            equalBytes(draft.payload, view.payload)
        else { return difference(from: view) }
        matched += 1
        return nil
    }
}

/// True if two payloads are equal. It compares eight bytes at a time, which is faster than `elementsEqual`.
@usableFromInline
func equalBytes(_ left: [UInt8], _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
        var index = 0
        while index &+ 8 <= left.count {
            if left.load64(at: index) != right.load64(at: index) { return false }
            index &+= 8
        }
        while index < left.count {
            if left[index] != right[index] { return false }
            index &+= 1
        }
        return true
    }
}
