import IMSession
import Recorder
import SansIO

/// Finds the fault that prevented a frame from arriving, and the faults that prevent a client from reaching its server
/// at a given event.
///
/// The timeline applies the rules at the head of `LinkConditions.swift` to the faults of a recording. Random outcomes
/// are read from the recording. If a frame never arrived while `net loss` was in force, `net loss` is the fault that
/// lost the frame.
package struct FaultTimeline {
    /// The faults that are in force for a client. Each is stored as the number of the event that set it.
    struct Conditions {
        var down: UInt64?
        var halfOpen: UInt64?
        var loss: UInt64?
        /// True if `net loss` drops every frame.
        var isLossCertain = false
        var delay: UInt64?
        /// Rules for named frames, in the order in which they were set.
        var rules: [(rule: FrameRule, number: UInt64)] = []
        /// The end of the client's process; nil while the process runs.
        var stopped: UInt64?
        /// The last sleep of the device, and the time at which it ends.
        var sleep: (number: UInt64, until: Instant)?
        /// The last change of the device's wall clock.
        var clock: (number: UInt64, skew: Interval)?
    }

    /// For each client, the events that changed its conditions, with the new conditions, in order.
    private var history: [NodeIndex: [(number: UInt64, conditions: Conditions)]] = [:]
    /// The ends and starts of the server's process, in order. `end` is nil for a start.
    private var serverEnds: [(number: UInt64, end: UInt64?)] = []
    /// For each event that sent a frame or requested a connection, the newest fault that affected it.
    private var faults: [UInt64: UInt64] = [:]
    /// For each event that sent a frame, the event that set the rule which duplicated the frame.
    private var duplications: [UInt64: UInt64] = [:]
    /// For each client's end of a connection, the event that closed the connection: a change of the network, or an
    /// event of the client or the server.
    private var closings: [CausalGraph.End: UInt64] = [:]
    /// For each event that sent a frame or requested a connection, the client's end of the connection.
    private var connections: [UInt64: CausalGraph.End] = [:]
    private var openConnections: [NodeIndex: [UInt32]] = [:]
    /// The events that set a rule of the kind `hold`, which delays frames until `net release`.
    private var holdRules: Set<UInt64> = []
    /// For each `net delay` event, the longest possible delay of a frame.
    private var longestDelays: [UInt64: Interval] = [:]

    /// The newest fault that prevented a frame or a connection request from arriving; nil if none is known.
    ///
    /// - Parameter number: the event that sent the frame or requested the connection.
    package func fault(of number: UInt64) -> UInt64? {
        if let fault = faults[number] { return fault }
        guard let end = connections[number] else { return nil }
        // No fault was in force at that event, so the frame was lost in flight, when one end closed or stopped.
        let entries = history[end.node] ?? []
        let later = entries[entries.partitioningIndex { $0.number > number }...]
        let stop = later.first { $0.conditions.stopped.map { $0 > number } ?? false }?.number
        let client = [closings[end].flatMap { $0 > number ? $0 : nil }, stop].compactMap(\.self).min()
        let server = serverEnds.first { $0.number > number && $0.end != nil }?.number
        return [client, server].compactMap(\.self).min()
    }

    /// True if a frame can still arrive after the end of a recording. The frame's connection must be open. In addition,
    /// a network rule must hold the frame, its delay must not have passed, or its receiver must sleep.
    func canStillArrive(_ number: UInt64, sentAt time: Instant, until last: Instant) -> Bool {
        guard let end = connections[number], closings[end] == nil, let now = history[end.node]?.last?.conditions,
            now.stopped == nil, !serverEnds.contains(where: { $0.number > number && $0.end != nil })
        else { return false }
        guard let fault = faults[number] else { return now.sleep.map { $0.until > last } ?? false }
        if holdRules.contains(fault) { return true }
        return longestDelays[fault].map { time + $0 >= last } ?? false
    }

    /// The event that set the rule which duplicated a frame; nil if the frame was not duplicated.
    package func duplication(of number: UInt64) -> UInt64? { duplications[number] }

    /// The last event before `number` that set a client's wall clock, and the difference from the true time after it.
    /// Nil if there was none.
    package func clock(of client: NodeIndex, before number: UInt64) -> (number: UInt64, skew: Interval)? {
        conditions(of: client, at: number)?.clock
    }

    /// The faults that prevent a client from reaching its server at an event, the newest last. They include the end of
    /// the server's process.
    package func blockers(of client: NodeIndex, at number: UInt64, _ time: Instant) -> [UInt64] {
        let server = [serverEnds.last { $0.number < number }?.end].compactMap(\.self)
        return (server + clientBlockers(of: client, at: number, time)).sorted()
    }

    /// The faults of the client's device and network that prevent it from reaching its server at an event, the newest
    /// last.
    package func clientBlockers(of client: NodeIndex, at number: UInt64, _ time: Instant) -> [UInt64] {
        guard let now = conditions(of: client, at: number) else { return [] }
        let sleep = now.sleep.flatMap { $0.until >= time ? $0.number : nil }
        return [now.down, now.halfOpen, now.stopped, now.isLossCertain ? now.loss : nil, sleep].compactMap(\.self)
            .sorted()
    }

    /// The last sleep of a client that began between two events; nil if there was none.
    package func sleep(of client: NodeIndex, after first: UInt64, before last: UInt64) -> UInt64? {
        guard let sleep = conditions(of: client, at: last)?.sleep, sleep.number > first else { return nil }
        return sleep.number
    }

    /// The last sleep of a client that began before an event and ended after an instant; nil if there was none.
    package func sleep(of client: NodeIndex, endingAfter instant: Instant, before number: UInt64) -> UInt64? {
        guard let sleep = conditions(of: client, at: number)?.sleep, sleep.until > instant else { return nil }
        return sleep.number
    }

    private func conditions(of client: NodeIndex, at number: UInt64) -> Conditions? {
        guard let entries = history[client] else { return nil }
        let index = entries.partitioningIndex { $0.number >= number }
        return index == 0 ? nil : entries[index - 1].conditions
    }

    // MARK: Reading a recording

    mutating func take(_ event: SessionEvent, of node: NodeIndex, client end: CausalGraph.End?, isServer: Bool) {
        switch event.content {
        case .start:
            if isServer { serverEnds.append((event.number, nil)) } else { change(node, event) { $0.stopped = nil } }
        case .stop:
            if isServer {
                serverEnds.append((event.number, event.number))
            } else {
                change(node, event) { $0.stopped = event.number }
                openConnections[node] = nil
            }
        case .environment(let action): take(action, event, of: node)
        case .effect(.connect(let connection)):
            connections[event.number] = CausalGraph.End(node: node, connection: connection.rawValue)
            openConnections[node, default: []].append(connection.rawValue)
            if let now = history[node]?.last?.conditions {
                faults[event.number] = [now.down, now.halfOpen].compactMap(\.self).max() ?? now.delay
            }
        case .effect(.closeLink), .input(.linkClosed), .input(.linkFailed):
            guard let end else { return }
            closings[end] = closings[end] ?? event.number
        case .effect(.send(_, let frame)):
            guard let end else { return }
            connections[event.number] = end
            send(frame.body.name, event, over: end, isServer ? .toClient : .toServer)
        default: break
        }
    }

    private mutating func change(_ client: NodeIndex, _ event: SessionEvent, _ body: (inout Conditions) -> Void) {
        var conditions = history[client]?.last?.conditions ?? Conditions()
        body(&conditions)
        history[client, default: []].append((event.number, conditions))
    }

    private mutating func take(_ action: EnvironmentAction, _ event: SessionEvent, of client: NodeIndex) {
        let number = event.number
        switch action {
        case .sleep(let length):
            change(client, event) { $0.sleep = (number, event.time + length) }
        case .clockSkew(let skew): change(client, event) { $0.clock = (number, skew) }
        case .other, .observed: break
        case .net(let action):
            switch action {
            case .delay(let delay, let jitter): longestDelays[number] = delay + jitter
            case .rule(let rule) where rule.action == .hold: holdRules.insert(number)
            default: break
            }
            change(client, event) { conditions in
                switch action {
                case .down: (conditions.down, conditions.halfOpen) = (number, nil)
                case .switchNetwork, .up: (conditions.down, conditions.halfOpen) = (nil, nil)
                case .halfOpen: if conditions.down == nil { conditions.halfOpen = conditions.halfOpen ?? number }
                case .reset, .release: break
                case .delay: conditions.delay = number
                case .loss(let loss):
                    conditions.loss = loss > 0 ? number : nil
                    conditions.isLossCertain = loss >= LinkConditions.certain
                case .rule(let rule): conditions.rules.append((rule, number))
                case .clear:
                    (conditions.down, conditions.halfOpen, conditions.delay) = (nil, nil, nil)
                    (conditions.loss, conditions.isLossCertain, conditions.rules) = (nil, false, [])
                }
            }
            switch action {
            case .down, .switchNetwork, .reset:
                for connection in openConnections.removeValue(forKey: client) ?? [] {
                    let end = CausalGraph.End(node: client, connection: connection)
                    closings[end] = closings[end] ?? number
                }
            default: break
            }
        }
    }

    private mutating func send(
        _ name: String, _ event: SessionEvent, over end: CausalGraph.End, _ direction: LinkDirection
    ) {
        guard let last = history[end.node]?.indices.last, let now = history[end.node]?[last].conditions else { return }
        var found = [now.down, now.halfOpen, now.loss, now.delay, closings[end]]
        if now.down == nil, now.halfOpen == nil,
            let index = now.rules.firstIndex(where: { $0.rule.applies(to: name, direction) })
        {
            if now.rules[index].rule.action == .duplicate {
                duplications[event.number] = now.rules[index].number
            } else {
                found.append(now.rules[index].number)
            }
            if let remaining = now.rules[index].rule.remaining, remaining > 0 {
                history[end.node]?[last].conditions.rules[index].rule.remaining = remaining - 1
            }
        }
        // A fault that certainly stops the frame takes precedence over a newer fault that only may stop it.
        let certain = found.dropFirst(4) + [now.down, now.halfOpen, now.isLossCertain ? now.loss : nil]
        faults[event.number] = certain.compactMap(\.self).max() ?? found.compactMap(\.self).max()
    }
}
