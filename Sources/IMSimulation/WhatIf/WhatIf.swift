import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// A rerun of a recorded scenario with one event muted, edited or delayed. The user's actions come at their recorded
/// times. The machines produce all other events again.
public struct WhatIf: Sendable {
    /// The change of one event.
    public enum Change: Hashable, Sendable {
        /// No change: the scenario runs again from after the event.
        case none
        /// The event does not happen.
        case mute
        /// One field of a frame or of a command gets another value.
        case edit(field: String, value: String)
        /// The event happens later by this interval.
        case delay(Interval)
    }

    /// A rerun may have twice as many events as the recording, plus this number. The limit is for forged recordings: a
    /// device that stays online causes events until the recording ends, and a forged one can claim to end after
    /// centuries.
    static let extraEventsMax = 1_000_000

    /// The recorded scenario.
    public let decoded: DecodedSession
    /// The number of the event that is changed; with ``Change/none``, of the event after which the scenario runs again.
    public let number: UInt64
    /// The change of the event.
    public let change: Change
    /// The number of events before the part that runs again.
    public let position: Int

    /// - Throws: ``WorldError`` if the event cannot be changed in that way.
    public init(_ decoded: DecodedSession, _ change: Change, at number: UInt64) throws {
        if let rejectionReason = decoded.rejectionReason { throw WorldError(rejectionReason) }
        guard decoded.hasClients else {
            throw WorldError("this recording contains no client, so the scenario cannot change")
        }
        self.decoded = decoded
        self.number = number
        self.change = change
        guard change != .none else {
            guard number <= UInt64(decoded.events.count) else { throw WorldError("there is no event \(number)") }
            position = decoded.batchEnd(after: max(number, decoded.serverStartNumber))
            return
        }
        if let rejectionReason = decoded.rejectionReason(toChanging: number) { throw WorldError(rejectionReason) }
        position = Int(number) - 1
        if case .edit(let field, let value) = change { _ = try decoded.edited(number, field, value) }
    }

    /// Runs the scenario again.
    ///
    /// - Parameters:
    ///   - recording: the recording of the rerun, which begins with the events before the change; nil to record
    ///     nothing.
    ///   - untilStable: true to continue after the recording's end until the outcome is stable or a limit is reached.
    ///     The recorded scenario then continues for as long, so that both can be compared.
    /// - Throws: ``WorldError`` if there are far more events than in the recording, and if time does not advance.
    public func run(
        _ configuration: WorldConfiguration, recording: Recording? = nil, untilStable: Bool = false,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws -> WhatIfOutcome {
        var reconstructor = try StateReconstructor(
            decoded, configuration: configuration, recording: recording, restoresPast: recording != nil,
            summarize: summarize)
        try reconstructor.follow(upTo: position)
        var rerun = ScenarioRerun(reconstructor)
        if change == .none {
            reconstructor.finish()
        } else {
            try begin(&reconstructor, &rerun)
        }
        let causes = try applyingChange(to: decoded.causes(from: position))
        for cause in causes { try rerun.apply(cause, after: anchor(of: cause)) }
        try rerun.reach(decoded.end, anchor(before: decoded.events.count))
        var ending = WhatIfOutcome.Ending.recording
        var continued: [SessionEvent] = []
        if untilStable {
            var unchanged = try continuation(configuration)
            ending = try WhatIfStability.run(&rerun, &unchanged, end: decoded.end)
            continued = unchanged.events
        }
        let outcome = WhatIfOutcome(
            self, rerunEvents: rerun.events, continued: continued, skipped: rerun.skipped, ending: ending)
        try reconstructor.world.shutDown()
        return outcome
    }

    /// The recorded scenario, continued after the recording's end.
    private func continuation(_ configuration: WorldConfiguration) throws -> ScenarioRerun {
        var reconstructor = try StateReconstructor(
            decoded, configuration: configuration, recording: nil, restoresPast: false, summarize: { _ in "" })
        try reconstructor.follow(upTo: decoded.events.count)
        let rerun = ScenarioRerun(reconstructor)
        reconstructor.finish()
        return rerun
    }

    /// Applies the change to a packet in flight or to a timer, before time advances, and installs the machines.
    private func begin(_ reconstructor: inout StateReconstructor, _ rerun: inout ScenarioRerun) throws {
        let event = decoded.events[position]
        let core = reconstructor.world.core
        guard case .input(let input) = event.content, let node = core.node(named: event.node) else {
            return reconstructor.finish()
        }
        reconstructor.passTime(to: event)
        if reconstructor.wasQueued(input, by: node) {
            guard change == .mute else {
                throw WorldError("it arrived while the device slept: only mute is possible")
            }
            return reconstructor.finish(omitting: input, of: event.node)
        }
        switch (input, change) {
        case (.deadlineReached, .delay(let delay)):
            reconstructor.finish()
            core.setAlarm(event.time + delay, of: node)
        case (.deadlineReached, _):
            reconstructor.finish()
            core.setAlarm(nil, of: node)
        case (.frame, .edit(let field, let value)):
            guard case .input(.frame(_, let frame)) = try decoded.edited(number, field, value) else { break }
            let wasInFlight = reconstructor.world.network.changePacket(with: input, at: node, .replace(frame))
            reconstructor.finish()
            if !wasInFlight, let connection = input.connection { core.deliver(.frame(connection, frame), to: node) }
        case (_, .mute):
            _ = reconstructor.world.network.changePacket(with: input, at: node, .remove)
            reconstructor.finish()
        case (_, .delay(let delay)):
            _ = reconstructor.world.network.changePacket(with: input, at: node, .delay(delay))
            reconstructor.finish()
        case (_, .edit), (_, .none): reconstructor.finish()
        }
    }

    /// The user's actions, of which one is edited, delayed or removed as ``change`` requires.
    private func applyingChange(to causes: [ForkCause]) throws -> [ForkCause] {
        guard let position = causes.firstIndex(where: { $0.number == number }), change != .none else { return causes }
        var causes = causes
        switch change {
        case .none: break
        case .mute: causes.remove(at: position)
        case .edit(let field, let value): causes[position].action = try causes[position].edited(field, value)
        case .delay(let delay):
            var late = causes.remove(at: position)
            late.time = late.time + delay
            late.isMoved = true
            causes.insert(late, at: causes.firstIndex { $0.time > late.time } ?? causes.count)
        }
        return causes
    }

    // MARK: Order at one instant

    /// The point within an instant at which the user's next action is performed.
    enum Anchor {
        /// After all events that are due by the time of the action.
        case time
        /// At once: the action directly follows the events before it.
        case now
        /// After `count` events with this content at this instant. The count is above 1 if a frame is duplicated.
        case event(SessionEvent, count: Int)
    }

    private func anchor(of cause: ForkCause) -> Anchor {
        cause.isMoved ? .time : anchor(before: Int(cause.number) - 1)
    }

    private func anchor(before end: Int) -> Anchor {
        guard end > 0 else { return .time }
        let time = end < decoded.events.count ? decoded.events[end].time : decoded.end
        var position = end - 1
        while position >= 0, decoded.events[position].time == time {
            switch decoded.events[position].content {
            case .effect, .keyframe, .closing: position -= 1
            case .header, .clock, .start, .stop, .input, .environment, .mark, .unreadable:
                if change != .none, decoded.events[position].number == number {
                    position -= 1
                    continue
                }
                guard position >= self.position else { return .now }
                return .event(decoded.events[position], count: sameEvents(through: position))
            }
        }
        return .time
    }

    /// The number of events that equal the one at that index, including itself, at the same instant and in the part
    /// that runs again.
    private func sameEvents(through index: Int) -> Int {
        let event = decoded.events[index]
        return decoded.events[position...index].reversed().prefix { $0.time == event.time }.count { other in
            other.isSame(as: event) && (change == .none || other.number != number)
        }
    }
}

/// A scenario that is running again.
struct ScenarioRerun {
    let world: SimulatedWorld
    private let log = Log()
    var skipped: [WhatIfOutcome.Skipped] = []
    var events: [SessionEvent] { log.events }

    private final class Log { var events: [SessionEvent] = [] }

    private let eventsMax: Int
    /// The time of the user's last action.
    private var lastActionTime: Instant?

    init(_ reconstructor: StateReconstructor) {
        world = reconstructor.world
        lastActionTime = reconstructor.lastActionTime
        eventsMax = WhatIf.extraEventsMax + 2 * reconstructor.decoded.events.count
        world.core.onEvent = { [log] in log.events.append($0) }
    }

    mutating func apply(_ cause: ForkCause, after anchor: WhatIf.Anchor) throws {
        try reach(cause.time, anchor)
        // Packets that no recording contains arrive before the action, unless another action of this instant caused
        // them.
        if lastActionTime != cause.time { world.network.deliverUnrecorded(before: cause.time, isIncluded: true) }
        lastActionTime = cause.time
        do {
            try world.core.perform(cause)
        } catch {
            skipped.append(WhatIfOutcome.Skipped(number: cause.number, reason: "\(error)"))
        }
    }

    mutating func reach(_ time: Instant, _ anchor: WhatIf.Anchor) throws {
        defer { world.core.now = max(world.core.now, time) }
        switch anchor {
        case .now: return
        case .time: try run(until: time)
        case .event(let event, let count):
            try run(until: time - Interval(nanoseconds: 1))
            while !hasHappened(event, count), log.events.count <= eventsMax, let next = world.nextInstant, next <= time
            {
                world.core.now = max(world.core.now, next)
                world.step()
            }
            try requireEnd(before: time)
        }
    }

    func run(until time: Instant) throws {
        let (log, eventsMax) = (log, eventsMax)
        _ = world.run(until: time) { _ in log.events.count > eventsMax }
        try requireEnd(before: time)
    }

    private func requireEnd(before time: Instant) throws {
        try world.requireProgress()
        guard log.events.count > eventsMax else { return }
        throw WorldError("more than \(eventsMax) events happen before +\(time.secondsText): too many to replay")
    }

    /// True if the event has happened `count` times at its instant in this world, as in the recording.
    private func hasHappened(_ event: SessionEvent, _ count: Int) -> Bool {
        var found = 0
        for other in log.events.reversed() {
            guard other.time >= event.time, found < count else { break }
            if other.time == event.time, other.isSame(as: event) { found += 1 }
        }
        return found >= count
    }
}

extension WorldCore {
    /// Performs a user's action.
    func perform(_ cause: ForkCause) throws {
        func client() throws -> NodeID {
            guard let id = node(named: cause.node) else { throw WorldError("there is no client '\(cause.node)'") }
            return id
        }
        switch cause.action {
        case .newClient(let start):
            guard case .client(let policy, let device, let local, _, _, let nonce) = start.body else { return }
            if local.lastUser != nil { try store.save(local, profile: start.profile, client: start.name) }
            try addClient(
                start.name, device: device.id, platform: device.platform, deviceName: device.name,
                osType: device.osType, ext: device.ext, policy: policy, nonce: nonce)
        case .app(let action): try app(action, client: client())
        case .client(let request): try numbering(cause.command) { _ = try command(request, client: client()) }
        case .server(let request): try numbering(cause.command) { _ = try command(request) }
        case .net(let action): net(action, client: try client())
        case .skew(let interval): try setClockSkew(by: interval, client: client())
        case .serverProcess(let action): try server(action)
        case .mark(let text): mark(text)
        }
    }
}

extension SessionEvent {
    /// True if two events have the same node and content. Times are not compared.
    func isSame(as other: SessionEvent) -> Bool {
        guard node == other.node else { return false }
        switch (content, other.content) {
        case (.input(let one), .input(let two)): return one == two
        case (.effect(let one), .effect(let two)): return one == two
        case (.environment(let one), .environment(let two)): return one == two
        case (.mark(let one), .mark(let two)): return one == two
        case (.start, .start), (.stop, .stop): return true
        default: return false
        }
    }
}
