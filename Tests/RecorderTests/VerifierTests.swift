import Recorder
import SansIO
import Testing

@Suite struct VerifierTests {
    @Test func aRecordingVerifies() throws {
        let recording = try Recording.full()
        let reader = try SessionReader(bytes: recording.bytes)
        #expect(reader.completeness == .closed)
        #expect(reader.eventCount == recording.writer.eventCount)
        #expect(reader.nodes == ["session", "north", "south"])
        let events = try reader.events()
        #expect(events.map(\.number) == Array(1...reader.eventCount))
        #expect(Set(events.map(\.role)) == Set(EventRole.allCases))
        #expect(
            try Verifier.verify(reader, schema: ElevatorSchema()) == .verified(events: recording.writer.eventCount))
    }

    @Test func theHeaderIsReadUnchanged() throws {
        let header = try SessionReader(bytes: try Recording.full().bytes).header
        #expect(header.title == "two lifts")
        #expect(header.profile == "test")
        #expect(header.application == "imrepl 0.1")
        #expect(header.os == "Linux")
        #expect(header["seed"] == "42")
        #expect(header["nothing"] == nil)
        #expect(header.epochNanoseconds == Recording.epoch)
        #expect(header.behaviourVersion == 3)
        #expect(header.formatVersion == 2)
        #expect(header.formatName == "elevator")
    }

    @Test func eventsAreReadUnchanged() throws {
        let sink = MemorySink()
        let writer = SessionWriter(
            sink: sink, schema: ElevatorSchema(),
            header: SessionHeader(title: "", profile: "", application: "a", os: ""), epochNanoseconds: -5)
        let node = writer.addNode("a/b")
        let instants = [Instant.zero, Instant(nanoseconds: 1), .distantFuture, Instant(nanoseconds: .min)]
        for instant in instants {
            writer.environment(
                [9], node: node, channel: .transport, direction: .inbound, stream: .max, at: instant, comment: "é")
        }
        try writer.close(at: .zero)
        let events = try SessionReader(bytes: sink.bytes).events().filter { $0.role == .environment }
        #expect(events.map(\.time) == instants)
        #expect(
            events[0]
                == Event(
                    number: 3, time: .zero, node: node, channel: .transport, direction: .inbound, role: .environment,
                    stream: .max, payload: [9], comment: "é"))
        #expect(try SessionReader(bytes: sink.bytes).nodes == ["session", "a/b"])
    }

    @Test func twoRunsGiveTheSameBytes() throws {
        #expect(try Recording.full(inputs: 200).bytes == Recording.full(inputs: 200).bytes)
        #expect(try Recording.full(seed: 1).bytes != Recording.full(seed: 2).bytes)
    }

    @Test(arguments: [
        (Elevator.Quirk.forgetsToChime, Divergence.Kind.missingEffect),
        (.chimesTwice, .extraEffect),
        (.movesElsewhere, .otherEffect),
        (.countsSilently, .otherState),
    ])
    func aChangedBehaviourIsNamed(quirk: Elevator.Quirk, kind: Divergence.Kind) throws {
        let recording = try Recording.full()
        let reader = try SessionReader(bytes: recording.bytes)
        guard case .diverged(let divergence) = try Verifier.verify(reader, schema: ElevatorSchema(quirk: quirk)) else {
            Issue.record("verified in spite of \(quirk)")
            return
        }
        #expect(divergence.kind == kind)
        #expect(divergence.nodeName == "north" || divergence.nodeName == "south")
        let event = try reader.events()[Int(divergence.number) - 1]
        switch kind {
        case .missingEffect, .otherEffect: #expect(event.role == .effect)
        case .otherState: #expect(event.role == .keyframe)
        case .extraEffect: #expect(event.role != .effect)
        }
        #expect((divergence.expectedEvent == nil) == (kind == .extraEffect))
        #expect((divergence.actualEvent == nil) == (kind == .missingEffect))
        #expect("\(divergence)".hasPrefix("event \(divergence.number) of \(divergence.nodeName): expected "))
    }

    /// The verifier reports the first difference, which is also the first difference of a forward comparison.
    @Test func theFirstDifferenceIsNamed() throws {
        let original = try SessionReader(bytes: try Recording.full().bytes)
        let changed = ElevatorSchema(quirk: .movesElsewhere)
        guard case .diverged(let divergence) = try Verifier.verify(original, schema: changed) else {
            Issue.record("verified")
            return
        }
        let firstMove = try original.events().first { $0.role == .effect && $0.payload.first == 1 }
        #expect(divergence.number == firstMove?.number)
        #expect(divergence.inputNumber == firstMove.map { $0.number - 1 })
    }

    @Test func otherMachinesAndBehavioursAreRefused() throws {
        let reader = try SessionReader(bytes: try Recording.full().bytes)
        #expect(throws: SessionError.otherFormat(found: "elevator", expected: "stairs")) {
            try Verifier.verify(reader, schema: ElevatorSchema(formatName: "stairs"))
        }
        #expect(throws: SessionError.otherBehaviour(found: 3, expected: 4)) {
            try Verifier.verify(reader, schema: ElevatorSchema(behaviourVersion: 4))
        }
        #expect(
            try Verifier.verify(reader, schema: ElevatorSchema(behaviourVersion: 4), behaviour: .any)
                == .verified(events: reader.eventCount))
    }

    /// A recording with wrong numbers must not make a replay endless. The verifier reports it as unreadable.
    @Test func moreEffectsThanAnyMachineHasAreAnError() throws {
        let recording = Recording()
        let node = recording.writer.addNode("north")
        try recording.writer.start(node, payload: Array(repeating: 0, count: 8), at: .zero)
        recording.writer.input(.message([7]), node: node, at: .zero)
        try recording.writer.close(at: .zero)
        let reader = try SessionReader(bytes: recording.bytes)
        let limit = Replay<ElevatorSchema>.effectsPerInputMax
        #expect(throws: SessionError.tooManyEffects(event: 4, node: "north", limit: limit)) {
            try Verifier.verify(reader, schema: ElevatorSchema(quirk: .floods))
        }
    }

    @Test func inputsWithoutANodeAndInvalidInputsAreErrors() throws {
        func session(_ fill: (SessionWriter<ElevatorSchema>, NodeIndex) throws -> Void) throws -> SessionReader {
            let recording = Recording()
            try fill(recording.writer, recording.writer.addNode("north"))
            try recording.writer.close(at: .zero)
            return try SessionReader(bytes: recording.bytes)
        }
        let early = try session { $0.input(.deadlineReached, node: $1, at: .zero) }
        #expect(throws: SessionError.notStarted(event: 3, node: "north")) {
            try Verifier.verify(early, schema: ElevatorSchema())
        }
        let unstarted = try session { $0.stop($1, at: .zero) }
        #expect(throws: SessionError.notStarted(event: 3, node: "north")) {
            try Verifier.verify(unstarted, schema: ElevatorSchema())
        }
        let stopped = try session {
            try $0.start($1, payload: Array(repeating: 0, count: 8), at: .zero)
            $0.stop($1, at: .zero)
            $0.input(.deadlineReached, node: $1, at: .zero)
        }
        #expect(throws: SessionError.notStarted(event: 5, node: "north")) {
            try Verifier.verify(stopped, schema: ElevatorSchema())
        }
        let badStart = try session { try $0.start($1, payload: [1], at: .zero) }
        #expect(throws: SessionError.undecodable(event: 3, node: "north", reason: "malformed")) {
            try Verifier.verify(badStart, schema: ElevatorSchema())
        }
        let badInput = try session {
            try $0.start($1, payload: Array(repeating: 0, count: 8), at: .zero)
            $0.log.append(.input, node: $1, draft: EventDraft(payload: [77]), at: .zero)
        }
        #expect(throws: SessionError.undecodable(event: 4, node: "north", reason: "malformed")) {
            try Verifier.verify(badInput, schema: ElevatorSchema())
        }
    }

    /// Every property of an effect is compared, not only its payload.
    @Test func everyPartOfAnEffectIsCompared() throws {
        var truth = EventDraft()
        ElevatorSchema().encode(.show([1]), into: &truth)
        let wrong = [
            EventDraft(channel: .sdk, direction: truth.direction, stream: truth.stream, payload: truth.payload),
            EventDraft(channel: truth.channel, direction: .inbound, stream: truth.stream, payload: truth.payload),
            EventDraft(channel: truth.channel, direction: truth.direction, stream: 8, payload: truth.payload),
            EventDraft(channel: truth.channel, direction: truth.direction, stream: truth.stream, payload: [5, 2]),
        ]
        func result(_ draft: EventDraft, otherNode: Bool = false) throws -> Verification {
            let recording = Recording()
            let nodes = ["north", "south"].map { recording.writer.addNode($0) }
            for node in nodes {
                try recording.writer.start(node, payload: Array(repeating: 0, count: 8), at: .zero)
            }
            recording.writer.input(.message([1]), node: nodes[0], at: .zero)
            recording.writer.log.append(.effect, node: nodes[otherNode ? 1 : 0], draft: draft, at: .zero)
            try recording.writer.close(at: .zero)
            return try Verifier.verify(try SessionReader(bytes: recording.bytes), schema: ElevatorSchema())
        }
        #expect(try result(truth) == .verified(events: 7))
        for (draft, otherNode) in wrong.map({ ($0, false) }) + [(truth, true)] {
            guard case .diverged(let divergence) = try result(draft, otherNode: otherNode) else {
                Issue.record("\(draft)")
                continue
            }
            #expect(divergence.kind == .otherEffect)
            #expect(divergence.number == 6)
            #expect(divergence.expectedEvent?.payload == draft.payload)
            #expect(divergence.actualEvent?.payload == truth.payload)
        }
    }

    @Test func anEffectWithoutANodeIsMissing() throws {
        let recording = Recording()
        let node = recording.writer.addNode("north")
        recording.writer.effect(.closeDoor, node: node, at: .zero)
        try recording.writer.close(at: .zero)
        let result = try Verifier.verify(try SessionReader(bytes: recording.bytes), schema: ElevatorSchema())
        guard case .diverged(let divergence) = result else {
            Issue.record("verified")
            return
        }
        #expect(divergence.kind == .missingEffect)
        #expect(divergence.number == 3)
        #expect(divergence.inputNumber == nil)
    }
}
