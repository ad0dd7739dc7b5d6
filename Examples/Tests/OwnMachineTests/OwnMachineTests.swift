import Recorder
import SansIO
import Testing

/// Records a custom machine, and finds the effect that a change of it would have on the recording.
@Suite struct OwnMachineTests {
    /// A connection that opens and breaks, with the machine's timers in between.
    private func recording() throws -> [UInt8] {
        let sink = MemorySink()
        let writer = SessionWriter(
            sink: sink, schema: ReconnectorSchema(),
            header: SessionHeader(title: "two breaks", profile: "", application: "example", os: ""),
            epochNanoseconds: 0)
        let phone = writer.addNode("phone")
        var machine = Reconnector()
        try writer.start(phone, payload: [], subject: machine, at: .zero)

        var now = Instant.zero
        for input in [Reconnector.Input.linkOpened, .linkClosed, .linkClosed] {
            now = now + .seconds(10)
            take(input)
            while let due = machine.nextDeadline {
                now = due
                take(.deadlineReached)
            }
        }
        func take(_ input: Reconnector.Input) {
            writer.input(input, node: phone, at: now)
            for effect in machine.handle(input, at: now) { writer.effect(effect, node: phone, at: now) }
        }
        try writer.close([(phone, machine)], at: now)
        return sink.bytes
    }

    @Test func `a recording replays`() throws {
        let reader = try SessionReader(bytes: recording())
        #expect(try Verifier.verify(reader, schema: ReconnectorSchema()) == .verified(events: reader.eventCount))
    }

    @Test func `a changed machine is reported with the first difference`() throws {
        let reader = try SessionReader(bytes: recording())
        let changed = ReconnectorSchema(waitsTooLong: true)
        guard case .diverged(let divergence) = try Verifier.verify(reader, schema: changed) else {
            Issue.record("the change was not noticed")
            return
        }
        #expect(divergence.nodeName == "phone")
    }

    @Test func `the timeline goes back and shows earlier states`() throws {
        var timeline = try Timeline(reader: SessionReader(bytes: recording()), schema: ReconnectorSchema())
        try timeline.go(to: timeline.count)
        var attempts: [UInt8] = []
        repeat {
            let state = try timeline.state()
            if let machine = state.running.first.flatMap({ state[$0] }), machine.attempts != attempts.last {
                attempts.append(machine.attempts)
            }
        } while try timeline.stepBack() != nil
        #expect(attempts == [2, 1, 0])
    }
}
