import IMSession
import NIOCore
import SansIO

/// Applies the `net` commands of one client in the live world: it has the client's ``LinkConditions`` and the real
/// connections that they affect.
///
/// Confined to the event loop of the client's connections. If a command ends connections, their `onClose` is called
/// before the command returns.
public final class ConnectionFaults {
    /// The current conditions of the client's network.
    public private(set) var conditions: LinkConditions
    /// Called for each frame that is dropped, held or delivered twice.
    public var onVerdict: ((_ bytes: [UInt8], _ name: String, LinkDirection, FrameVerdict) -> Void)?

    let loop: any EventLoop
    private let frameName: ([UInt8]) -> String
    private let timeScale: Double
    private let epoch = NIODeadline.now()
    private var handlers: [FaultHandler] = []
    /// The number of held frames whose connection was closed since the last release.
    private var lostHeldCount = 0
    /// Connection attempts in progress, such as a name lookup, or an address that has not answered.
    public let dialing: PendingWork

    /// - Parameters:
    ///   - conditions: the initial conditions of the network.
    ///   - loop: the event loop of the client's connections.
    ///   - timeScale: the speed of the world's time, relative to the wall clock. Real delays are shorter by this
    ///     factor.
    ///   - frameName: returns a frame's name in the protocol, for rules such as `net drop login-ack`.
    public init(
        conditions: LinkConditions, on loop: any EventLoop, timeScale: Double = 1,
        frameName: @escaping ([UInt8]) -> String
    ) {
        self.conditions = conditions
        self.loop = loop
        self.timeScale = timeScale.isFinite && timeScale > 0 ? timeScale : 1
        self.frameName = frameName
        dialing = PendingWork(on: loop)
    }

    // MARK: The net commands

    /// `net down`: the client's connections end with `networkDown`, and new attempts fail. The server receives nothing.
    ///
    /// - Parameter notifyClient: called when the network blocks everything and no connection has ended yet.
    public func down(notifyClient: () -> Void = {}) {
        loop.preconditionInEventLoop()
        conditions.down()
        loseNetwork(notifyClient)
    }

    /// `net up`: ends `net down` and `net half-open`.
    public func up() {
        loop.preconditionInEventLoop()
        conditions.up()
    }

    /// `net switch`: the client's connections end with `networkDown`, and new attempts succeed at once.
    ///
    /// - Parameter notifyClient: called before the connections end. Connections that it opens use the new network, and
    ///   do not end.
    public func switchNetwork(notifyClient: () -> Void = {}) {
        loop.preconditionInEventLoop()
        conditions.up()
        loseNetwork(notifyClient)
    }

    private func loseNetwork(_ notifyClient: () -> Void) {
        let severed = handlers.filter { $0.sever() }
        notifyClient()
        for handler in severed { handler.endSevered() }
    }

    /// `net half-open`: from now on, packets in both directions are lost.
    public func halfOpen() {
        loop.preconditionInEventLoop()
        conditions.halfOpen()
    }

    /// `net reset`: both ends of each of the client's connections receive `reset`.
    public func reset() {
        loop.preconditionInEventLoop()
        for handler in handlers { handler.reset() }
    }

    /// `net delay D [--jitter D]`: delays each frame, and adds a random time up to the jitter.
    public func setDelay(_ delay: Interval, jitter: Interval = .zero) {
        conditions.delay = delay
        conditions.jitter = jitter
    }

    /// `net loss P`: loses frames with this probability, in parts per million.
    public func setLoss(_ loss: UInt64) {
        conditions.loss = loss
    }

    /// `net drop|hold|duplicate FRAME`: loses, holds or repeats frames of a name.
    public func add(_ rule: FrameRule) {
        conditions.add(rule)
    }

    /// `net release`: delivers held frames now, in order.
    ///
    /// - Returns: the released frames.
    @discardableResult
    public func release() -> ReleasedFrames {
        loop.preconditionInEventLoop()
        var released = ReleasedFrames(lost: lostHeldCount)
        lostHeldCount = 0
        for handler in handlers { released += handler.release() }
        return released
    }

    /// `net clear`: restores the initial conditions and releases held frames.
    @discardableResult
    public func clear() -> ReleasedFrames {
        loop.preconditionInEventLoop()
        conditions.clear()
        return release()
    }

    /// Closes every socket at the end of the world, even if the server still considers its connection open.
    public func shutDown() -> EventLoopFuture<Void> {
        loop.preconditionInEventLoop()
        let closed = handlers.compactMap { $0.closeFuture }
        for handler in handlers { handler.shutDown() }
        handlers = []
        return EventLoopFuture.andAllComplete(closed, on: loop)
    }

    /// The number of open sockets whose client has already ended the connection.
    public var ghostCount: Int { handlers.count { $0.isGhost } }

    // MARK: For the handlers

    func register(_ handler: FaultHandler) { handlers.append(handler) }

    func noteLost(_ heldCount: Int) { lostHeldCount += heldCount }

    func unregister(_ handler: FaultHandler) { handlers.removeAll { $0 === handler } }

    func connectVerdict() -> ConnectVerdict { conditions.connectVerdict() }

    func verdict(on bytes: [UInt8], _ direction: LinkDirection) -> FrameVerdict {
        let name = frameName(bytes)
        let verdict = conditions.verdict(frame: name, direction: direction)
        switch verdict {
        case .deliver: break
        case .deliverTwice, .drop, .hold: onVerdict?(bytes, name, direction, verdict)
        }
        return verdict
    }

    /// The world's time.
    var now: Instant {
        let elapsed = NIODeadline.now() - epoch
        return Instant(nanoseconds: Self.clamped(Double(elapsed.nanoseconds) * timeScale))
    }

    /// The real time at which the world's time reaches an instant.
    func deadline(_ instant: Instant) -> NIODeadline {
        epoch + .nanoseconds(Self.clamped(Double(instant.nanoseconds) / timeScale))
    }

    /// The real duration of an interval of the world's time.
    func real(_ interval: Interval) -> TimeAmount {
        .nanoseconds(Self.clamped(Double(interval.nanoseconds) / timeScale))
    }

    /// Limits a duration to half the range of its type. That is more than a century, and leaves room for additions.
    private static func clamped(_ nanoseconds: Double) -> Int64 {
        nanoseconds >= 0x1p62 ? 1 << 62 : nanoseconds <= 0 ? 0 : Int64(nanoseconds.rounded())
    }
}
