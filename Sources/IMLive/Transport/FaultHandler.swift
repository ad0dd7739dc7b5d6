import IMSession
import NIOCore
import SansIO

/// The last handler of a client's pipeline. It injects faults into everything that the connection sends and receives.
///
/// A fault can end the client's side without a packet to the server. Then the connection is a ghost: its socket stays
/// open and silent until the server closes it, or the world ends.
final class FaultHandler: ChannelInboundHandler, PipelineTail {
    typealias InboundIn = InboundItem
    typealias OutboundOut = OutboundItem

    private enum Phase {
        case alive
        /// The client's side has ended. If it ended while the network was half-open, the server receives a reset when
        /// it next sends something and packets get through.
        case ghost(answersWithReset: Bool)
    }

    private let faults: ConnectionFaults
    private let core: ConnectionCore
    private var socket: SocketHandler?
    private var channel: (any Channel)?
    private var context: ChannelHandlerContext?
    private var phase = Phase.alive
    /// True if the server's side was closed, and no packet to the client reported this.
    private var hasVanished = false
    private var toServer = LinkQueue<OutboundItem>()
    private var toClient = LinkQueue<InboundItem>()
    private var timer: (task: Scheduled<Void>, at: Instant)?

    init(faults: ConnectionFaults, core: ConnectionCore) {
        self.faults = faults
        self.core = core
    }

    var isGhost: Bool {
        switch phase {
        case .alive: false
        case .ghost: channel != nil
        }
    }

    /// True if packets reach the client's side and return from it.
    var isReachable: Bool {
        switch phase {
        case .alive: faults.conditions.carriesPackets
        case .ghost: false
        }
    }

    var closeFuture: EventLoopFuture<Void>? { channel?.closeFuture }

    /// Called when the connection to the server is established. Its WebSocket handshake follows.
    func attach(_ channel: any Channel, _ socket: SocketHandler) {
        self.channel = channel
        self.socket = socket
    }

    /// Called when the connection was closed before the WebSocket handshake was complete.
    func detach() {
        channel = nil
        unregisterIfDone()
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let item = unwrapInboundIn(data)
        switch phase {
        case .alive:
            receive(item)
        case .ghost(let answersWithReset):
            // A real host answers a packet for a closed connection with a reset, if packets get through.
            if answersWithReset, faults.conditions.carriesPackets { socket?.abort() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        channel = nil
        context.fireChannelInactive()
        unregisterIfDone()
    }

    private func receive(_ item: InboundItem) {
        switch item {
        case .message(let bytes, _):
            toClient.apply(faults.verdict(on: bytes, .toClient), to: item, at: faults.now)
        case .ended:
            toClient.send(item, after: faults.conditions.closeDelay(direction: .toClient) ?? .zero, at: faults.now)
        case .opened:
            toClient.send(item, after: .zero, at: faults.now)
        case .vanished:
            hasVanished = true
        }
        pump()
    }

    /// Called when the handshake is complete. The client receives this after `delay`, and before any message.
    func opened(after delay: Interval) {
        toClient.send(.opened, after: delay, at: faults.now)
        pump()
    }

    // MARK: The link

    func write(_ item: OutboundItem) {
        guard case .alive = phase else { return }
        switch item {
        case .message(let bytes, _):
            let verdict = faults.verdict(on: Array(bytes.readableBytesView), .toServer)
            if hasVanished {
                endIfReachable()
            } else {
                toServer.apply(verdict, to: item, at: faults.now)
            }
        case .close:
            if hasVanished {
                endSoon(.closedHere)
            } else if let delay = faults.conditions.closeDelay(direction: .toServer) {
                toServer.send(item, after: delay, at: faults.now)
            } else {
                phase = .ghost(answersWithReset: true)
                endSoon(.closedHere)
            }
        }
        pump()
    }

    func abort() {
        guard case .alive = phase else { return }
        if faults.conditions.carriesPackets {
            socket?.abort()
        } else {
            phase = .ghost(answersWithReset: true)
        }
    }

    func setReading(_ isReading: Bool) { socket?.setReading(isReading) }

    func linkEnded() { unregisterIfDone() }

    /// The server's side is closed. It answers a packet with a reset, if packets get through.
    private func endIfReachable() {
        if faults.conditions.carriesPackets { endSoon(.reset) }
    }

    /// Ends the connection in the next turn of the loop, so that no callback is called inside `send` or `close`.
    private func endSoon(_ end: ConnectionEnd) {
        faults.loop.assumeIsolated().execute { self.core.receive(.ended(end)) }
    }

    // MARK: The net commands

    /// Stops all traffic from now on.
    ///
    /// - Returns: false if the client's side has already ended.
    func sever() -> Bool {
        guard case .alive = phase else { return false }
        phase = .ghost(answersWithReset: false)
        faults.noteLost(toClient.held.count)
        toClient.removeAll()
        return true
    }

    func endSevered() { core.receive(.ended(.networkDown)) }

    func reset() {
        guard case .alive = phase else { return }
        phase = .ghost(answersWithReset: false)
        faults.noteLost(toClient.held.count + toServer.held.count)
        toClient.removeAll()
        toServer.removeAll()
        socket?.abort()
        core.receive(.ended(.reset))
    }

    func release() -> ReleasedFrames {
        let (isOpenThere, isOpenHere) = (channel != nil, !core.hasEnded)
        let releasedToServer = toServer.release(at: faults.now)
        let releasedToClient = toClient.release(at: faults.now)
        pump()
        return ReleasedFrames(
            toServer: releasedToServer, isOpenThere: isOpenThere, toClient: releasedToClient, isOpenHere: isOpenHere)
    }

    func shutDown() {
        toClient.removeAll()
        toServer.removeAll()
        timer?.task.cancel()
        timer = nil
        core.abort()
        phase = .ghost(answersWithReset: false)
        socket?.abort()
    }

    // MARK: The queues

    /// Delivers the items that are due, and sets the timer for the next one.
    private func pump(by instant: Instant? = nil) {
        let now = max(faults.now, instant ?? .zero)
        while let item = toServer.popArrived(by: now) {
            context?.writeAndFlush(wrapOutboundOut(item), promise: nil)
        }
        while let item = toClient.popArrived(by: now) {
            core.receive(item)
        }
        schedule()
        unregisterIfDone()
    }

    private func schedule() {
        let next = [toServer.nextArrival, toClient.nextArrival].compactMap { $0 }.min()
        guard next != timer?.at else { return }
        timer?.task.cancel()
        timer = nil
        guard let next else { return }
        let task = faults.loop.assumeIsolated().scheduleTask(deadline: faults.deadline(next)) {
            self.timer = nil
            // The clock may return a time just before the instant of the timer, at which nothing would be due.
            self.pump(by: next)
        }
        timer = (task, next)
    }

    /// Unregisters this handler when its socket is closed and its core has ended.
    private func unregisterIfDone() {
        if channel == nil, core.hasEnded {
            timer?.task.cancel()
            timer = nil
            faults.noteLost(toClient.held.count + toServer.held.count)
            faults.unregister(self)
        }
    }
}
