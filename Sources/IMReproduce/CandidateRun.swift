import IMClient
import IMDebugger
import IMProfiles
import IMServer
import IMSession
import IMSimulation
import SansIO

/// The simulation of a candidate, up to the first line of the log that differs.
final class CandidateRun {
    /// A state from which another candidate can continue.
    struct Checkpoint {
        /// Everything due before this time has happened.
        var time: Milliseconds
        var stepCount: Int
        var failedSteps: [Int]
        var recorder: AppLineRecorder
        /// This world is never run, only copied.
        var world: SimulatedWorld
    }

    /// The maximum number of events of one run. It is enough for a month of heartbeats, and takes about a second.
    /// Without a limit, a log with one wrong date could require years of heartbeats.
    private static let eventsMax = 1_000_000

    let candidate: Candidate
    let steps: [CandidateStep]
    private(set) var checkpoints: [Checkpoint] = []
    private(set) var match: LineMatch
    /// The indices of the steps whose commands failed at once.
    private(set) var failedSteps: [Int] = []

    /// - Parameters:
    ///   - relative: an earlier run. If both runs begin with the same steps, the new one continues from a checkpoint of
    ///     it.
    ///   - keepsCheckpoints: true if later runs can continue from checkpoints of this run.
    init(_ candidate: Candidate, _ app: ObservedApp, after relative: CandidateRun? = nil, keepsCheckpoints: Bool = true)
        throws
    {
        self.candidate = candidate
        steps = candidate.steps(app)
        match = LineMatch(app, candidate.lines(of: app), hiddenLogins: candidate.hiddenLogins)
        try play(app, relative, keepsCheckpoints)
    }

    private func play(_ app: ObservedApp, _ relative: CandidateRun?, _ keepsCheckpoints: Bool) throws {
        guard let dialect = Dialects.named(app.profile) else { return }
        var recorder = AppLineRecorder(dialect)
        let world: SimulatedWorld
        var next = 0
        if let start = relative.flatMap({ commonCheckpoint(with: $0) }) {
            checkpoints = relative?.checkpoints.filter { $0.time <= start.time } ?? []
            world = try start.world.copy()
            (recorder, failedSteps, next) = (start.recorder, start.failedSteps, start.stepCount)
        } else {
            world = try SimulatedWorld(WorldConfiguration(dialect, seed: 1))
        }
        let sink = LineSink(recorder)
        world.core.onEvent = { sink.take($0) }
        defer { world.core.onEvent = nil }
        world.core.keepsEvents = false
        let lines = match.observed
        for index in lines.indices {
            let time = lines[index].time
            if index == 0 || time - lines[index - 1].time > 2 * app.tolerance {
                let mark = time - app.tolerance - 1
                if mark > (checkpoints.last?.time ?? 0) {
                    next = run(world, to: mark, from: next, sink)
                    if keepsCheckpoints, !sink.isFull {
                        checkpoints.append(
                            Checkpoint(
                                time: mark, stepCount: next, failedSteps: failedSteps, recorder: sink.recorder,
                                world: try world.copy()))
                    }
                }
            }
            next = run(world, to: time + app.tolerance, from: next, sink)
            if !match.take(index, sink.recorder.lines) { break }
        }
        if match.mismatch == nil { match.finish(sink.recorder.lines) }
        match.simulated = sink.recorder.lines
        try world.shutDown()
    }

    /// Runs the world up to a time, with the steps before that time.
    ///
    /// - Returns: the index of the next step.
    func run(_ world: SimulatedWorld, to end: Milliseconds, from first: Int, _ sink: LineSink) -> Int {
        var next = first
        while next < steps.count, steps[next].time < end {
            let step = steps[next]
            _ = world.run(until: Instant(nanoseconds: step.time * 1_000_000)) { _ in sink.isFull }
            if sink.isFull { return steps.count }
            let failures = sink.failures
            if !perform(step, in: world.core) || sink.failures > failures { failedSteps.append(next) }
            next += 1
        }
        let instant = Instant(nanoseconds: end * 1_000_000 - 1)
        if instant > world.core.now { _ = world.run(until: instant) { _ in sink.isFull } }
        return next
    }

    private func perform(_ step: CandidateStep, in core: WorldCore) -> Bool {
        do {
            switch step.action {
            case .password(let user, let new):
                try core.vault.setPassword(new, of: user)
                try core.command(.passwordChanged(user: user))
            case .client(let name, let platform, let policy):
                try core.addClient(name, platform: platform, policy: policy)
            case .step(let step):
                try core.perform(step.withDeviceIDs(in: core))
            }
            return true
        } catch {
            return false
        }
    }

    /// The last checkpoint of another run up to which both runs are equal; nil if there is none.
    private func commonCheckpoint(with other: CandidateRun) -> Checkpoint? {
        var same = 0
        while same < min(steps.count, other.steps.count), steps[same].isSame(as: other.steps[same]) { same += 1 }
        var time = Milliseconds.max
        if same < steps.count { time = min(time, steps[same].time) }
        if same < other.steps.count { time = min(time, other.steps[same].time) }
        // The times of the log's lines must also be equal up to the checkpoint.
        for (own, others) in zip(match.observed, other.match.observed) where own.time != others.time {
            time = min(time, own.time, others.time)
            break
        }
        return other.checkpoints.last { $0.time <= time }
    }

    /// Collects the lines of the observed client during a run.
    final class LineSink {
        var recorder: AppLineRecorder
        /// For each line, the number of its event.
        private(set) var numbers: [UInt64] = []
        /// The number of failed commands.
        var failures = 0
        private var eventCount = 0

        /// True if the run has reached the maximum number of events.
        var isFull: Bool { eventCount >= CandidateRun.eventsMax }

        init(_ recorder: AppLineRecorder) { self.recorder = recorder }

        func take(_ event: SessionEvent) {
            eventCount += 1
            if case .effect(.complete(_, let completion)) = event.content, completion.status != .ok,
                completion.status != .stored
            {
                failures += 1
            }
            guard event.node == ObservedApp.client else { return }
            recorder.take(event)
            if recorder.lines.count > numbers.count { numbers.append(event.number) }
        }
    }
}

extension ScenarioStep {
    /// The step with the ids of devices, where the candidate has the names of their clients.
    fileprivate func withDeviceIDs(in core: WorldCore) -> ScenarioStep {
        func id(_ name: String) -> String { core.node(named: name).flatMap { core.deviceID(of: $0) } ?? name }
        switch action {
        case .server(.kick(let user, let device?)):
            return ScenarioStep(node, .server(.kick(user: user, device: id(device))))
        case .accountCall(let user, .kick(let device)):
            return ScenarioStep(node, .accountCall(user: user, .kick(device: id(device))))
        default: return self
        }
    }
}
