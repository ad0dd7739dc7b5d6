import Dispatch
import VirtualTime

/// The double of `DispatchQueue` in virtual time.
///
/// Blocks of a serial queue keep their order. Those of a concurrent one may overtake each other if a seed draws it.
/// Each block runs to its end or to a wait; priorities have no effect.
public final class SimulatedDispatchQueue: @unchecked Sendable {
    public typealias Attributes = Dispatch.DispatchQueue.Attributes
    public typealias AutoreleaseFrequency = Dispatch.DispatchQueue.AutoreleaseFrequency

    public static let main = SimulatedDispatchQueue(label: "com.apple.main-thread", kind: .main)
    private static let shared = SimulatedDispatchQueue(label: "com.apple.root.default-qos", kind: .concurrent)

    public static func global(qos: DispatchQoS.QoSClass = .default) -> SimulatedDispatchQueue { shared }

    public let label: String
    public let qos: DispatchQoS
    private let kind: Kind
    private let identity: SerialQueue
    private var target: SimulatedDispatchQueue?
    private var specifics: [ObjectIdentifier: Any] = [:]
    private var suspensions = 0
    private var barriers = BarrierState()

    private enum Kind {
        case main
        case serial
        case concurrent
    }

    /// The blocks that a concurrent queue's barrier waits for, and those that wait for a barrier.
    private struct BarrierState {
        var running = 0
        var hasBarrier = false
        var waiting: [(isBarrier: Bool, work: () -> Void)] = []
    }

    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: SimulatedDispatchQueue? = nil
    ) {
        self.init(label: label, qos: qos, kind: attributes.contains(.concurrent) ? .concurrent : .serial)
        self.target = target
        if attributes.contains(.initiallyInactive) { suspensions = 1 }
    }

    private init(label: String, qos: DispatchQoS = .unspecified, kind: Kind) {
        self.label = label
        self.qos = qos
        self.kind = kind
        identity = SerialQueue(label: label)
    }

    /// The place of its blocks: a serial queue that targets another one shares its place.
    var place: ExecutionContext {
        if let targetPlace = target?.place, targetPlace != .anywhere { return targetPlace }
        switch kind {
        case .main: return .main
        case .serial: return .queue(identity)
        case .concurrent: return .anywhere
        }
    }

    public func setTarget(queue: SimulatedDispatchQueue?) {
        target = queue
    }

    // MARK: Blocks

    @preconcurrency public func async(
        group: SimulatedDispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        file: StaticString = #fileID, line: UInt = #line, execute work: @escaping @Sendable () -> Void
    ) {
        group?.enter()
        submit(flags: flags, label: blockLabel(file, line)) {
            work()
            group?.leave()
        }
    }

    public func async(
        group: SimulatedDispatchGroup? = nil, file: StaticString = #fileID, line: UInt = #line,
        execute workItem: SimulatedDispatchWorkItem
    ) {
        group?.enter()
        submit(flags: workItem.flags, label: blockLabel(file, line)) {
            workItem.perform()
            group?.leave()
        }
    }

    /// - Note: The clock of a deadline is virtual too, so `.now() + 5` means 5 virtual seconds.
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        file: StaticString = #fileID, line: UInt = #line, execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: { $0.delay(to: deadline) }, flags: flags, label: blockLabel(file, line), work)
    }

    @preconcurrency public func asyncAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        file: StaticString = #fileID, line: UInt = #line, execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: { $0.delay(to: wallDeadline) }, flags: flags, label: blockLabel(file, line), work)
    }

    public func asyncAfter(
        deadline: DispatchTime, file: StaticString = #fileID, line: UInt = #line,
        execute workItem: SimulatedDispatchWorkItem
    ) {
        submit(after: { $0.delay(to: deadline) }, flags: workItem.flags, label: blockLabel(file, line), item: workItem)
    }

    public func asyncAfter(
        wallDeadline: DispatchWallTime, file: StaticString = #fileID, line: UInt = #line,
        execute workItem: SimulatedDispatchWorkItem
    ) {
        submit(
            after: { $0.delay(to: wallDeadline) }, flags: workItem.flags, label: blockLabel(file, line), item: workItem)
    }

    public func sync<T>(
        flags: DispatchWorkItemFlags = [], file: StaticString = #fileID, line: UInt = #line,
        execute work: () throws -> T
    ) rethrows -> T {
        let scheduler = VirtualScheduler.required(for: "DispatchQueue.sync")
        let label = EntryLabel("DispatchQueue.sync", origin: Origin(file: file, line: line))
        guard place == .anywhere else {
            return try scheduler.runSynchronously(at: place, label: label) { try onThisQueue(work) }
        }
        let isBarrier = flags.contains(.barrier)
        if isBarrier || barriers.hasBarrier || !barriers.waiting.isEmpty {
            let wait = VirtualScheduler.Wait(for: "\(label) on the queue \"\(self.label)\"", ender: "get there")
            _ = scheduler.block(
                until: { [self] in !barriers.hasBarrier && (!isBarrier || barriers.running == 0) }, wait: wait)
        }
        barriers.running += 1
        barriers.hasBarrier = isBarrier
        defer { didRun(isBarrier: isBarrier) }
        return try onThisQueue(work)
    }

    public func sync(execute workItem: SimulatedDispatchWorkItem) {
        sync { workItem.perform() }
    }

    @preconcurrency public func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
        try sync(execute: work)
    }

    public static func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
        for index in 0..<iterations { work(index) }
    }

    // MARK: Suspension

    public func suspend() {
        suspensions += 1
        holdBack()
    }

    public func resume() {
        suspensions -= 1
        holdBack()
    }

    public func activate() {
        suspensions = 0
        holdBack()
    }

    /// - Note: Only serial queues can be suspended here; a concurrent one continues.
    private func holdBack() {
        guard let scheduler = VirtualScheduler.current, kind == .serial else { return }
        if suspensions > 0 {
            scheduler.suspended.insert(.queue(identity))
        } else {
            scheduler.suspended.remove(.queue(identity))
        }
    }

    // MARK: Specifics

    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
        specifics[ObjectIdentifier(key)] = value
    }

    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        specifics[ObjectIdentifier(key)] as? T ?? target?.getSpecific(key: key)
    }

    public static func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        CurrentQueue.innermost?.getSpecific(key: key)
    }

    // MARK: Implementation

    private func submit(
        after delay: (VirtualScheduler) -> UInt64, flags: DispatchWorkItemFlags, label: EntryLabel,
        item: SimulatedDispatchWorkItem
    ) {
        submit(after: delay, flags: flags, label: label) { item.perform() }
    }

    func submit(
        after delay: (VirtualScheduler) -> UInt64 = { _ in 0 }, flags: DispatchWorkItemFlags, label: EntryLabel,
        _ work: @escaping () -> Void
    ) {
        // A deadline counts from the call, whatever its thread.
        let delay = VirtualScheduler.current.map(delay) ?? 0
        VirtualScheduler.perform("DispatchQueue.async") { [self] scheduler in
            if suspensions > 0 { holdBack() }
            let isSerial = place != .anywhere
            let isBarrier = flags.contains(.barrier) && !isSerial && self !== Self.shared
            scheduler.enqueue(after: delay, at: place, isOrdered: isSerial, label: label) { [self] in
                isSerial ? onThisQueue(work) : runConcurrently(isBarrier: isBarrier, work)
            }
        }
    }

    private func runConcurrently(isBarrier: Bool, _ work: @escaping () -> Void) {
        let mustWait = barriers.hasBarrier || !barriers.waiting.isEmpty || (isBarrier && barriers.running > 0)
        if mustWait {
            barriers.waiting.append((isBarrier, work))
            return
        }
        barriers.running += 1
        barriers.hasBarrier = isBarrier
        onThisQueue(work)
        didRun(isBarrier: isBarrier)
    }

    private func didRun(isBarrier: Bool) {
        barriers.running -= 1
        if isBarrier { barriers.hasBarrier = false }
        while let next = barriers.waiting.first, !barriers.hasBarrier, !next.isBarrier || barriers.running == 0 {
            barriers.waiting.removeFirst()
            barriers.running += 1
            barriers.hasBarrier = next.isBarrier
            onThisQueue(next.work)
            barriers.running -= 1
            if next.isBarrier { barriers.hasBarrier = false }
        }
    }

    private func onThisQueue<T>(_ work: () throws -> T) rethrows -> T {
        CurrentQueue.stack.append(self)
        defer { CurrentQueue.stack.removeLast() }
        return try work()
    }

    private func blockLabel(_ file: StaticString, _ line: UInt) -> EntryLabel {
        EntryLabel("a block of the queue \"\(label)\"", origin: Origin(file: file, line: line))
    }
}

/// The queues whose blocks run now, the innermost last. It is used on the job thread alone.
enum CurrentQueue {
    nonisolated(unsafe) static var stack: [SimulatedDispatchQueue] = []

    static var innermost: SimulatedDispatchQueue? {
        stack.last ?? (VirtualScheduler.current?.place == .main ? .main : nil)
    }
}
