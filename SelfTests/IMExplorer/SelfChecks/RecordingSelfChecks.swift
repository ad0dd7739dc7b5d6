import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

/// The self-checks of recordings. A recording contains the events that happened, and its replay gives the same effects.
/// A keyframe equals the state of a replay from the beginning. A world that continues from within a recording without a
/// change gives the same events. A backward search finds the same events as a check of every event. A filter with `<=`
/// is equal to its parts. A changed effect is detected. A what-if with one change keeps the other external events.
///
/// The program adds self-checks for scripts and exports.
///
/// Together the self-checks take ten times as long as the scenario. So each checked scenario gets one part of them,
/// which its seed selects.
public struct RecordingSelfChecks: Sendable {
    /// A self-check of a recording. It returns a description of the violation, which is equal for all violations of its
    /// kind; nil if there is none.
    public typealias SelfCheck = @Sendable (_ scenario: Scenario, _ bytes: [UInt8]) throws -> String?

    private let further: [SelfCheck]

    /// - Parameter further: additional self-checks.
    public init(further: [SelfCheck] = []) { self.further = further }

    /// Records the scenario and checks the recording.
    ///
    /// - Parameter part: selects the only ``Part`` of the self-checks that runs; nil to run all parts. Any number is
    ///   allowed.
    func violation(of scenario: Scenario, part: UInt64? = nil) throws -> Violation? {
        for selfCheck in try selfChecks(of: scenario, part: part) {
            if let kind = try selfCheck() { return Self.failure(kind) }
        }
        return nil
    }

    /// Checks only that a world continues correctly from within the recording.
    ///
    /// - Parameter position: the position at which the world continues, in sixteenths of the recording. Any number is
    ///   allowed.
    func violationContinuing(of scenario: Scenario, from position: UInt64) throws -> Violation? {
        try violation(of: scenario, part: UInt64(Part.allCases.count - 1) + position * Self.partCount)
    }

    /// Continues from a state in which more than usual is in progress: directly before held frames are released, or
    /// after the end of a process.
    ///
    /// - Parameter number: selects one of the states of this kind in the recording. Any number is allowed.
    func violationContinuing(ofRare scenario: Scenario, _ number: UInt64) throws -> Violation? {
        let reader = try SessionReader(bytes: ScenarioRecording.bytes(of: scenario))
        let decoded = try DecodedSession(reader)
        let moments = decoded.events.compactMap { event -> UInt64? in
            switch event.content {
            case .environment(.net(.release)), .environment(.net(.clear)): scenario.holdsFrames ? event.number - 1 : nil
            case .stop: event.number
            default: nil
            }
        }
        guard !moments.isEmpty, decoded.commandDuringSleep() == nil else { return nil }
        let position = moments[Int(number % UInt64(moments.count))]
        return try Self.continuationFailure(decoded, reader.header, behind: position).map(Self.failure)
    }

    /// Checks only the causes of kicks. A cause is difficult to find if the kicking device has logged in again before
    /// the kick is delivered.
    func kickViolation(in scenario: Scenario) throws -> Violation? {
        let reader = try SessionReader(bytes: ScenarioRecording.bytes(of: scenario))
        return try QuerySelfChecks.kicks(DebugSession(reader), DecodedSession(reader)).map(Self.failure)
    }

    /// True if the scenario violates the same self-check as `violation`. Other violations do not count.
    func isBroken(by scenario: Scenario, as violation: Violation) -> Bool {
        let selfChecks = (try? selfChecks(of: scenario, part: nil)) ?? []
        func isSame(_ other: Violation?) -> Bool { other?.group == violation.group }
        return selfChecks.contains { selfCheck in isSame((try? selfCheck()).flatMap(\.self).map(Self.failure)) }
            || scenario.hasRareStates
                && (0..<4).contains { isSame((try? violationContinuing(ofRare: scenario, $0)) ?? nil) }
    }

    private static func failure(_ kind: String) -> Violation { Violation(.recorder, "C-16", kind) }

    /// The self-checks of the scenario's recording. Each returns a description of the violation, or nil.
    ///
    /// - Parameter part: selects the only ``Part`` that runs; nil to run all parts.
    private func selfChecks(of scenario: Scenario, part: UInt64?) throws -> [() throws -> String?] {
        var happened: [SessionEvent] = []
        let bytes = try ScenarioRecording.bytes(
            of: scenario, keyframeInterval: 24, watching: { happened.append($0) })
        let reader = try SessionReader(bytes: bytes)
        let decoded = try DecodedSession(reader)
        let parts = part.map { [Part.allCases[Int($0 % Self.partCount)]] } ?? Part.allCases
        return [
            { Self.causes(decoded) }, { [happened] in Self.contentFailure(decoded, happened) },
            { try ExpectationSelfChecks.failure(decoded) },
            { try CallbackSelfChecks.failure(decoded) },
        ]
            + parts.map { kind in { try Self.partFailure(kind, bytes, reader, decoded, part: part) } }
            + further.map { selfCheck in { try selfCheck(scenario, bytes) } }
    }

    /// The self-checks that replay or search the recording. A search for bugs runs only one of them for a scenario,
    /// because they are slow.
    private enum Part: CaseIterable {
        /// The last part, `continues`, is also checked separately.
        case replays, keyframes, jumps, searches, filters, queries, files, changed, continues
    }

    private static let partCount = UInt64(Part.allCases.count)

    private static func partFailure(
        _ kind: Part, _ bytes: [UInt8], _ reader: SessionReader, _ decoded: DecodedSession, part: UInt64?
    ) throws -> String? {
        switch kind {
        case .replays: return try replays(reader)
        case .keyframes: return try keyframes(reader)
        case .jumps: return try jumps(reader)
        case .searches: return try searches(reader) ?? BreakpointSelfChecks.failure(reader, decoded)
        case .filters:
            return try FilterSelfChecks.failure(reader, decoded) ?? detectionFailure(decoded)
                ?? detectionFailure(reader)
        case .queries: return try QuerySelfChecks.failure(reader, decoded) ?? ConditionSelfChecks.failure(reader)
        case .changed: return try WhatIfCheck.failure(decoded, reader.header)
        case .files: return try FileSelfChecks.failure(bytes, reader, decoded)
        case .continues:
            // The positions are in sixteenths of the recording.
            let positions = part.map { [$0 / partCount % 15 + 1] } ?? Array(1...15)
            return try continuationFailure(decoded, reader.header, from: positions)
        }
    }

    private static func replays(_ reader: SessionReader) throws -> String? {
        let verdict = try Verifier.verify(reader, schema: IMSessionSchema())
        return verdict == .verified(events: reader.eventCount) ? nil : "a recording does not replay to itself"
    }

    /// Compares the keyframes in the file with the states of a replay from the beginning.
    private static func keyframes(_ reader: SessionReader) throws -> String? {
        let schema = IMSessionSchema()
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            effects.removeAll(keepingCapacity: true)
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: [])
            guard view.role == .keyframe, let replayed = replay[view.node] else { continue }
            if try schema.decodeState(Array(view.payload)) != replayed {
                return "a keyframe is not the state of a replay"
            }
        }
        return nil
    }

    /// Compares the states after jumps with the states of a replay from the beginning. The jumps go backwards from the
    /// end, around the timeline's checkpoints, and forwards again. Also checks that a backward search misses no event
    /// at the boundaries of its pieces.
    private static func jumps(_ reader: SessionReader) throws -> String? {
        let schema = IMSessionSchema()
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        var replayed: [(number: UInt64, machines: [NodeMachine?])] = []
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            effects.removeAll(keepingCapacity: true)
            try schema.apply(view, to: &replay, effects: &effects, nodeNames: reader.nodes)
            guard view.number % 16 <= 1 || view.number % 16 == 15 else { continue }
            replayed.append((view.number, replay.machines))
        }
        let timeline = try Timeline(reader: reader, schema: schema, checkpointInterval: 16)
        _ = try timeline.state(at: timeline.count)
        for (number, machines) in replayed.reversed() + replayed.prefix(4) {
            guard try timeline.state(at: number).machines == machines else {
                return "a jump to a position shows other states than a replay to it"
            }
        }
        var end = timeline.count + 1
        while end > 1 {
            let begin = try timeline.entry(before: end)
            for number in [begin, begin + 1] where number > 0 && number <= timeline.count {
                let found = try timeline.last(before: timeline.count + 1) { $0.number == number }
                guard found?.number == number else { return "a backward search does not find the right event" }
            }
            guard begin + 1 < end else { break }
            end = begin + 1
        }
        return nil
    }

    /// Creates a world that continues from within the recording without a change.
    ///
    /// - Parameter positions: the positions at which a world continues, in sixteenths of the recording.
    private static func continuationFailure(
        _ decoded: DecodedSession, _ header: SessionHeader, from positions: [UInt64]
    ) throws -> String? {
        guard decoded.commandDuringSleep() == nil else { return nil }
        for position in positions {
            if let failure = try continuationFailure(
                decoded, header, behind: UInt64(decoded.events.count) * position / 16)
            {
                return failure
            }
        }
        return nil
    }

    private static func continuationFailure(_ decoded: DecodedSession, _ header: SessionHeader, behind number: UInt64)
        throws
        -> String?
    {
        let whatIf = try WhatIf(decoded, .none, at: number)
        let outcome = try whatIf.run(WorldConfiguration(continuing: header))
        guard outcome.isSame else { return "a run that continues a recording has other events" }
        // Compares the apps' commands, including the values that only the host adds: a token's expiry and the device's
        // clock.
        let recorded = decoded.events[whatIf.position...].filter(\.isOfAnApp)
        let isSame = recorded.elementsEqual(outcome.rerunEvents.filter(\.isOfAnApp)) { one, other in
            guard one.time == other.time, one.node == other.node, case .input(let input) = one.content,
                case .input(input) = other.content
            else { return false }
            return true
        }
        return isSame ? nil : "a run that continues a recording has other commands"
    }

    /// Searches backwards from the end and from two other events, and compares the results with a check of every event.
    private static func searches(_ reader: SessionReader) throws -> String? {
        let session = try DebugSession(reader)
        let recording = try FilterSelfChecks.Scanned(reader)
        // Also searches shortly before the keyframes from which the reader resumes.
        var keyframes: [UInt64] = []
        let every = reader.makeScanner()
        while let view = try every.next() { if view.role == .keyframe { keyframes.append(view.number) } }
        for keyframe in keyframes.prefix(2) {
            for number in max(2, keyframe) - 1...keyframe + 1 where number <= session.count {
                guard try session.last("n == \(number)") == number else {
                    return "a backward search does not find the right event"
                }
            }
        }
        for text in ["kind == link", "kind == transition", "kind == command", "in-state == online"] {
            let found = try recording.found(text, peeks: false)
            let before = found.prefix(1).map { $0 - 1 }
            let middle = [session.count + 1, session.count / 2, session.count / 3]
            let positions = middle + before + found.prefix(3) + found.suffix(2)
            for position in positions where position > 0 {
                let last = found.last { $0 < position }
                if try session.last(text, before: position) != last {
                    return "a backward search does not find the right event"
                }
                let next = found.first { $0 > position }
                if try session.first(text, after: position) != next {
                    return "a forward search does not find the right event"
                }
            }
        }
        return nil
    }

    /// Checks that each event of a connection has a cause: a frame was sent before, or the connection was requested or
    /// ended.
    private static func causes(_ decoded: DecodedSession) -> String? {
        var sent: [UInt64: String] = [:]
        for event in decoded.events {
            switch event.content {
            case .effect(.send(_, let frame)): sent[event.number] = frame.body.name
            case .input(.frame(_, let frame)):
                guard sent[event.cause] == frame.body.name else {
                    return "the cause of a received frame is not its sending"
                }
            case .input(.linkOpened), .input(.linkClosed), .input(.linkFailed):
                guard event.cause == 0 || event.cause >= event.number else { continue }
                return "the cause of a link event is not an earlier event"
            default: break
            }
        }
        return nil
    }

    /// Checks that the file contains the events that happened.
    private static func contentFailure(_ decoded: DecodedSession, _ happened: [SessionEvent]) -> String? {
        let recorded = decoded.events.filter(\.isOfMachine)
        let real = happened.filter(\.isOfMachine)
        guard recorded.count == real.count else { return "a recording has more or fewer events than the run" }
        return zip(recorded, real).allSatisfy { $0.hasSameContent(as: $1) }
            ? nil : "an event in a recording differs from the event in the run"
    }

    /// Checks that the verifier detects one changed, missing or repeated effect.
    private static func detectionFailure(_ decoded: DecodedSession) throws -> String? {
        let positions = decoded.events.indices.filter { position in
            if case .effect(.transition) = decoded.events[position].content { true } else { false }
        }
        guard let position = positions.dropFirst(positions.count / 2).first else { return nil }
        let changes: [(SessionEvent) -> [SessionEvent]] = [
            { _ in [] }, { [$0, $0] }, { [$0.withOtherReason] },
        ]
        for change in changes {
            let forged = try RecordingForgery.bytes(of: decoded, changing: position, change)
            let verdict = try Verifier.verify(SessionReader(bytes: forged), schema: IMSessionSchema())
            if case .verified = verdict { return "a changed, missing or repeated effect is not detected" }
        }
        return nil
    }
}

extension RecordingSelfChecks {
    /// Checks that the verifier detects one changed byte of an effect or a state: the last byte, and an earlier one.
    /// One payload of each length modulo eight is checked, because the verifier compares eight bytes at a time.
    fileprivate static func detectionFailure(_ reader: SessionReader) throws -> String? {
        var verifier = Verifier(schema: IMSessionSchema(), nodeNames: reader.nodes)
        var checked: Set<Int> = []
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            let length = view.payload.count
            if view.role == .effect || view.role == .keyframe, length > 0,
                checked.insert(length % 8 * 2 + (view.role == .effect ? 0 : 1)).inserted
            {
                for position in [length - 1, Int(view.number % UInt64(length))] {
                    var payload = Array(view.payload)
                    payload[position] ^= 1
                    var other = verifier
                    // If the changed data is unreadable, the change is detected too.
                    let isDetected = payload.withUnsafeBytes {
                        (try? other.check(view.replacingPayload($0))) != .some(nil)
                    }
                    guard isDetected else { return "a changed byte is not detected" }
                }
            }
            if try verifier.check(view) != nil { return "a recording does not replay to itself" }
        }
        return nil
    }
}

extension SessionEvent {
    fileprivate var isOfAnApp: Bool {
        if case .input(.clientCommand) = content { true } else { false }
    }

    fileprivate var isOfMachine: Bool {
        switch content {
        case .input, .effect, .environment: true
        default: false
        }
    }

    fileprivate func hasSameContent(as other: SessionEvent) -> Bool {
        guard time == other.time, node == other.node, cause == other.cause else { return false }
        switch (content, other.content) {
        case (.input(let one), .input(let other)): return one == other
        case (.environment(let one), .environment(let other)): return one == other
        // Stored items are compared by their own events.
        case (.effect(.persist(let one)), .effect(.persist(var other))):
            other.items = one.items
            return one == other
        case (.effect(let one), .effect(let other)): return one == other
        default: return false
        }
    }

    /// A copy of a transition with a different reason, which has the same length in the file. Other events do not
    /// change.
    fileprivate var withOtherReason: SessionEvent {
        guard case .effect(.transition(let change)) = content else { return self }
        var event = self
        let reason: StateReason = change.reason == .login ? .retrying : .login
        event.content = .effect(.transition(StateChange(from: change.from, to: change.to, reason: reason)))
        return event
    }
}

extension ScenarioRecording {
    /// Plays a scenario and returns its recording.
    ///
    /// - Parameter heals: true if the network works again and all clients log out at the end.
    package static func bytes(
        of scenario: Scenario, heals: Bool = true, keyframeInterval: UInt64? = nil, mark: String? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }, watching watch: ((SessionEvent) -> Void)? = nil
    ) throws -> [UInt8] {
        var whole = scenario
        if heals, let dialect = Dialects.named(scenario.profile) { whole.steps += scenario.ending(dialect) }
        return try bytes(
            playing: whole, keyframeInterval: keyframeInterval, mark: mark, summarize: summarize, watching: watch)
    }
}
