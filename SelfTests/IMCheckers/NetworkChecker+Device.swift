import IMClient
import IMProtocol
import IMSession
import SansIO

// A model of one device's network and connection that is independent of the simulated network.

extension NetworkChecker {
    /// A frame that must arrive between `earliest` and `latest`. `latest` is nil if the frame waits for another frame.
    struct ExpectedFrame {
        var mark: UInt64
        var earliest: Instant
        var latest: Instant?
    }

    /// A connection between a client and the server, seen from both ends.
    struct Link {
        var client: ConnectionID
        var server: ConnectionID?
        /// For each direction, the frames that must arrive, in order.
        var expected: [[ExpectedFrame]] = [[], []]
        var held: [[UInt64]] = [[], []]
        /// The number of frames that have arrived in each direction.
        var arrived = [0, 0]
        /// The direction in which a frame arrived out of order; nil if all arrived in order.
        var disorder: Int?
        /// How much too early or too late a frame arrived; nil if every frame was on time.
        var earliness: Interval?
        var lateness: Interval?
        /// For each direction, the latest permitted arrival of the last frame. A later frame must not arrive earlier.
        var latest: [Instant?] = [.zero, .zero]
        /// True if only the server has closed the connection. `unansweredSince` is the time of the client's next frame.
        var isClosedByServer = false
        var unansweredSince: Instant?
        /// True if no frame on the connection was ever delayed.
        var isTimely = true
        /// False if losses are random or the device's network failed. The connection is then not checked.
        var isKnown = true
    }

    /// The values that identify a login request that has not arrived.
    struct Login: Equatable {
        var user: String
        var mode: LoginMode
        var epoch: LoginEpoch
        var mark: UInt64

        init?(_ frame: Frame) {
            guard case .login(let login) = frame.body else { return nil }
            (user, mode, epoch, mark) = (login.user, login.mode, login.epoch, Device.mark(frame))
        }
    }

    struct Device {
        var rules: [FrameRule] = []
        var loss: UInt64 = 0
        var isHalfOpen = false
        var link: Link?
        /// The start of the half-open state. `neverOpening` has the connections that were requested in that state.
        var halfOpenSince: Instant?
        var neverOpening: Set<ConnectionID> = []
        /// False if it is unknown to how many more frames each rule applies. A waking device may send a frame over an
        /// ended connection, where no rule counts it. A frame from an unknown device may have been counted.
        var areRulesKnown = true
        var isDown = false
        /// The network change that the device has not been notified of, and its time.
        var pendingNotice: (change: NetworkChange, since: Instant)?
        var isDelayed = false
        /// The login request that was sent over the current connection.
        var login: Login?
        /// Login requests that may still arrive over ended connections. `isSevered` is true if the network of the
        /// request's connection failed.
        var earlier: [(login: Login, isSevered: Bool)] = []
        /// The delay that the scenario set for each direction, and the maximum random part of it.
        var delay = Interval.zero
        var jitter = Interval.zero
        /// The maximum latency of the simulated network in each direction, in addition to a set delay.
        static let latencyMax = Interval.milliseconds(50)
        /// The connection that is being opened over a network without faults, and the time of its request.
        var connecting: (id: ConnectionID, since: Instant)?

        /// True if the network delivers every frame.
        var isReliable: Bool { !isHalfOpen && loss == 0 && rules.isEmpty }

        mutating func connects(_ id: ConnectionID, at now: Instant) {
            if isHalfOpen, !isDown { neverOpening.insert(id) }
            connecting = isReliable && !isDown && !isDelayed ? (id, now) : nil
        }

        /// Notes that a frame was sent over a connection that may be the current one.
        mutating func noteUnknownFrame() {
            link?.isKnown = false
            if rules.contains(where: { $0.remaining != nil }) { areRulesKnown = false }
        }

        mutating func apply(_ action: NetAction, at now: Instant) {
            switch action {
            case .down:
                pendingNotice = isDown ? nil : (.down, now)
                neverOpening.removeAll()
            case .up, .clear: pendingNotice = isDown ? (.up, now) : nil
            case .switchNetwork:
                pendingNotice = (.switched, now)
                neverOpening.removeAll()
            default: break
            }
            connecting = nil
            if ![.clear, .up, .release].contains(action) { link?.unansweredSince = nil }
            switch action {
            case .down, .switchNetwork:
                endLink(isSevered: true)
                for index in earlier.indices { earlier[index].isSevered = true }
                isHalfOpen = false
                isDown = action == .down
            case .reset: (link, login) = (nil, nil)
            case .up: (isHalfOpen, isDown) = (false, false)
            case .halfOpen: isHalfOpen = true
            case .delay(let delay, let jitter):
                isDelayed = true
                (self.delay, self.jitter) = (delay, jitter)
                link?.isTimely = false
            case .loss(let loss): self.loss = loss
            case .rule(let rule): rules.append(rule)
            case .release: release(at: now)
            case .clear:
                areRulesKnown = true
                rules = []
                loss = 0
                (isHalfOpen, isDown, isDelayed) = (false, false, false)
                (delay, jitter) = (.zero, .zero)
                release(at: now)
            }
        }

        mutating func endLink(isSevered: Bool) {
            if let link, let login, link.server == nil,
                !link.isKnown || (link.expected[0].map(\.mark) + link.held[0]).contains(login.mark)
            {
                earlier.append((login, isSevered))
            }
            (link, login) = (nil, nil)
        }

        private mutating func release(at now: Instant) {
            guard let held = link?.held else { return }
            for way in 0...1 where !held[way].isEmpty {
                link?.expected[way] += held[way].map { ExpectedFrame(mark: $0, earliest: now, latest: nil) }
                link?.latest[way] = nil
            }
            link?.held = [[], []]
        }

        // Each method checks and mutates a device in one call, because a separate check would copy the device.

        mutating func arrived(_ frame: Frame, atServer id: ConnectionID, at now: Instant) {
            if link?.server == id { arrived(frame, 0, at: now) }
        }

        /// - Parameter awakeSince: the time from which the receiving client reads frames.
        mutating func arrived(_ frame: Frame, atClient id: ConnectionID, at now: Instant, awakeSince: Instant) {
            if link?.client == id { arrived(frame, 1, at: now, awakeSince: awakeSince) }
        }

        private mutating func arrived(_ frame: Frame, _ way: Int, at now: Instant, awakeSince: Instant = .zero) {
            link?.arrived[way] += 1
            guard let next = link?.expected[way].first, next.mark == Self.mark(frame) else {
                link?.disorder = way
                return
            }
            if now < next.earliest { link?.earliness = next.earliest - now }
            if let latest = next.latest, now > max(latest, awakeSince) { link?.lateness = now - latest }
            link?.expected[way].removeFirst()
        }

        /// A number that distinguishes frames by kind and request number.
        static func mark(_ frame: Frame) -> UInt64 {
            frame.body.name.utf8.reduce(UInt64(frame.request)) { $0 &* 31 &+ UInt64($1) }
        }

        mutating func sent(_ frame: Frame, over id: ConnectionID, at now: Instant) {
            guard link?.client == id else { return }
            if let sent = Login(frame) { login = sent }
            if link?.isClosedByServer == true, isReliable, link?.isTimely == true, link?.unansweredSince == nil {
                link?.unansweredSince = now
            }
            send(frame, 0, isCounted: true, at: now)
        }

        mutating func answered(_ frame: Frame, over id: ConnectionID, at now: Instant) {
            send(frame, 1, isCounted: link?.server == id, at: now)
        }

        /// - Parameter isCounted: false for a frame over an older connection. The frame still counts for the rules.
        private mutating func send(_ frame: Frame, _ way: Int, isCounted: Bool, at now: Instant) {
            guard !isHalfOpen else { return }
            let action = rules.isEmpty ? nil : applyRule(frame, way)
            guard isCounted, link != nil else { return }
            if !areRulesKnown || loss > 0 && (action == nil || action == .duplicate) { link?.isKnown = false }
            let mark = Self.mark(frame)
            var expected = ExpectedFrame(mark: mark, earliest: now + delay, latest: nil)
            if action == nil || action == .duplicate, let before = link?.latest[way] {
                expected.latest = max(before, now + delay + jitter + Self.latencyMax)
                link?.latest[way] = expected.latest
            }
            switch action {
            case nil: link?.expected[way].append(expected)
            case .drop: break
            case .hold: link?.held[way].append(mark)
            case .duplicate: link?.expected[way] += [expected, expected]
            }
        }

        private mutating func applyRule(_ frame: Frame, _ way: Int) -> FrameAction? {
            let direction: LinkDirection = way == 0 ? .toServer : .toClient
            let index = rules.firstIndex { rule in
                (rule.frame == FrameRule.anyFrame || rule.frame == frame.body.name)
                    && (rule.direction == nil || rule.direction == direction)
            }
            guard let index else { return nil }
            let action = rules[index].action
            if let remaining = rules[index].remaining {
                if remaining > 1 { rules[index].remaining = remaining - 1 } else { rules.remove(at: index) }
            }
            return action
        }
    }
}
