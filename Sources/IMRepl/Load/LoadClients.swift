import IMLive
import IMProtocol
import NIOCore
import SansIO

/// Many clients of one server. Each has only the behaviour that a load needs: it logs in, answers, acknowledges and
/// sends. Confined to the event loop.
///
/// First all clients connect, a limited number at a time. Then the clients send messages in turn, each client to the
/// next one. At the end, the load waits a limited time for the outstanding answers.
final class LoadClients {
    private struct Client {
        var link: ClientConnection
        var start: NIODeadline
        var isOnline = false
        var hasEnded = false
        /// The number of messages that the client has sent.
        var sentCount: UInt64 = 0
    }

    /// The maximum number of concurrent connection attempts.
    private static let connectingMax = 64
    /// The maximum number of messages without an answer. While there are so many, no message is sent.
    static let unansweredMax = 10_000
    private static let tick = TimeAmount.milliseconds(5)
    private static let patience = TimeAmount.seconds(5)
    private static let heartbeat = TimeAmount.seconds(10)

    private let request: LoadRequest
    private let loop: any EventLoop
    private let dialer: WebSocketDialer
    private let url: String
    private let text: String
    /// Distinguishes the messages of this run from those of other runs.
    private let nonce = UInt64.random(in: .min ... .max)
    private let done: EventLoopPromise<Void>
    private var clients: [Client] = []
    private var finishedLoginCount = 0
    /// The indices of the clients that are online.
    private var online: [Int] = []
    /// The send times of the messages that the server has not acknowledged, and of those that have not arrived, by id.
    private var unacknowledged: [String: NIODeadline] = [:]
    private var undelivered: [String: NIODeadline] = [:]
    private var sendingSince: NIODeadline?
    private var scheduledCount = 0
    private var isOver = false
    private(set) var report = LoadReport()

    init(_ request: LoadRequest, on loop: any EventLoop) {
        self.request = request
        self.loop = loop
        url = ServerAddress.url(request.url, profile: request.profile)
        text = String(repeating: "x", count: request.textBytes)
        done = loop.makePromise()
        dialer = WebSocketDialer(
            on: loop, trust: request.trustedCertificates.map { .file($0) } ?? .system, timeout: .seconds(30),
            messageBytesMax: ProtocolLimit.frameBytesMax)
        report.clients = request.clients
    }

    /// - Returns: a future that completes when there is nothing more to measure.
    func start() -> EventLoopFuture<Void> {
        for _ in 0..<min(Self.connectingMax, request.clients) { connectNext() }
        every(Self.heartbeat) {
            for index in self.online { self.send(Frame(.heartbeat), from: index) }
            return true
        }
        return done.futureResult
    }

    func close() -> EventLoopFuture<Void> {
        isOver = true
        for client in clients where !client.hasEnded { client.link.abort() }
        // `abort` only requests the close. The loop closes the sockets in its next iterations.
        return loop.makeSucceededVoidFuture()
    }

    // MARK: Connecting

    private func connectNext() {
        guard clients.count < request.clients, !isOver else { return }
        let index = clients.count
        let link = dialer.connect(to: url)
        clients.append(Client(link: link, start: .now()))
        link.onOpen = { [unowned self] in opened(index) }
        link.onMessage = { [unowned self] bytes, _ in received(bytes, by: index) }
        link.onClose = { [unowned self] end, _ in ended(index, end) }
    }

    private func opened(_ index: Int) {
        report.connect.add(since: clients[index].start)
        clients[index].start = .now()
        let login = LoginRequest(
            application: request.profile, user: "load-\(index)",
            device: Device(id: "load-\(index)", platform: .linux), mode: .manual, epoch: 0,
            credential: .secret(""))
        send(Frame(request: 1, .login(login)), from: index)
    }

    private func loggedIn(_ index: Int, _ reply: LoginReply) {
        guard !clients[index].isOnline else { return }
        guard reply.status == .ok else {
            report.note("login refused: \(reply.status.name)")
            return clients[index].link.close()
        }
        report.login.add(since: clients[index].start)
        clients[index].isOnline = true
        // The server delivers no waiting messages before the sync (NIM-14).
        send(Frame(request: 3, .sync), from: index)
        online.append(index)
        loginFinished()
    }

    private func ended(_ index: Int, _ end: ConnectionEnd) {
        clients[index].hasEnded = true
        guard !isOver else { return }
        if end != .closedHere { report.note("\(end)") }
        if clients[index].isOnline {
            clients[index].isOnline = false
            online.removeAll { $0 == index }
        } else {
            loginFinished()
        }
        if online.isEmpty, finishedLoginCount == request.clients { finish() }
    }

    /// Counts a client that is online or has failed, and connects the next one. After the last one, sending begins.
    private func loginFinished() {
        guard finishedLoginCount < request.clients else { return }
        finishedLoginCount += 1
        connectNext()
        guard finishedLoginCount == request.clients else { return }
        if online.isEmpty { finish() } else { beginSending() }
    }

    // MARK: Sending

    private func beginSending() {
        guard sendingSince == nil else { return }
        let start = NIODeadline.now()
        sendingSince = start
        every(Self.tick) {
            let elapsed = Double((NIODeadline.now() - start).nanoseconds) / 1e9
            self.report.seconds = min(elapsed, Double(self.request.seconds))
            self.sendScheduled(by: self.report.seconds)
            guard elapsed >= Double(self.request.seconds) else { return true }
            self.loop.assumeIsolated().scheduleTask(in: Self.patience) { self.finish() }
            self.finishIfAnswered()
            return false
        }
    }

    /// Repeats the body as long as it returns true and the load is not over.
    private func every(_ interval: TimeAmount, _ body: @escaping () -> Bool) {
        loop.assumeIsolated().scheduleTask(in: interval) {
            if !self.isOver, body() { self.every(interval, body) }
        }
    }

    private func sendScheduled(by seconds: Double) {
        let scheduled = Int(seconds * Double(request.rate))
        while scheduledCount < scheduled, !online.isEmpty {
            defer { scheduledCount += 1 }
            guard unacknowledged.count < Self.unansweredMax, undelivered.count < Self.unansweredMax else {
                report.heldBack += 1
                continue
            }
            let position = scheduledCount % online.count
            let (sender, receiver) = (online[position], online[(position + 1) % online.count])
            clients[sender].sentCount += 1
            // The id has the form of a real client's ids, because the server stores one entry for each process of a
            // device.
            let process = OwnID.process(device: "load-\(sender)", nonce: nonce)
            let id = OwnID(process: process, number: clients[sender].sentCount).text
            let now = NIODeadline.now()
            unacknowledged[id] = now
            undelivered[id] = now
            report.sent += 1
            send(
                Frame(
                    request: 2,
                    .send(ChatMessage(id: id, from: "load-\(sender)", to: "load-\(receiver)", text: text))),
                from: sender)
        }
    }

    private func received(_ bytes: [UInt8], by index: Int) {
        guard let frame = try? Frame(bytes: bytes) else { return report.note("a frame that cannot be read") }
        switch frame.body {
        case .loginAck(let reply): loggedIn(index, reply)
        case .sendAck(let status, let id):
            guard let start = unacknowledged.removeValue(forKey: id) else { return }
            if status == .ok || status == .stored {
                report.acknowledge.add(since: start)
            } else {
                report.note("message refused: \(status.name)")
                undelivered[id] = nil
            }
            finishIfAnswered()
        case .message(let message):
            send(Frame(.messageAck(id: message.id, number: message.number)), from: index)
            guard let start = undelivered.removeValue(forKey: message.id) else { return }
            report.deliver.add(since: start)
            finishIfAnswered()
        case .kicked(let notice): report.note("kicked: \(notice.reason)")
        case .goodbye(let reason, _): report.note("goodbye: \(reason)")
        default: break
        }
    }

    private func send(_ frame: Frame, from index: Int) { clients[index].link.send(frame.bytes()) }

    private func finishIfAnswered() {
        guard sendingSince != nil, report.seconds >= Double(request.seconds) else { return }
        if unacknowledged.isEmpty, undelivered.isEmpty { finish() }
    }

    private func finish() {
        guard !isOver else { return }
        isOver = true
        done.succeed()
    }
}

extension LatencyHistogram {
    fileprivate mutating func add(since start: NIODeadline) {
        add(microseconds: (NIODeadline.now() - start).nanoseconds / 1000)
    }
}
