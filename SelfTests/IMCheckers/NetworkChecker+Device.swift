import IMClient
import IMProtocol
import IMSession
import SansIO

// A model of a device's network and connection, an independent implementation of the network commands.

extension NetworkChecker {
    /// A frame that must arrive from `earliest` to `latest`. The latter is nil if the frame waits for others.
    struct Due {
        var mark: UInt64
        var earliest: Instant
        var latest: Instant?
    }

    /// A connection with both of its ends.
    struct Link {
        var client: ConnectionID
        var server: ConnectionID?
        /// The frames that must arrive, in order, by direction.
        var due: [[Due]] = [[], []]
        var held: [[UInt64]] = [[], []]
        /// The number of frames that have arrived.
        var arrived = [0, 0]
        /// The direction in which a frame arrived out of order; nil if none did.
        var disorder: Int?
        /// By how much a frame arrived too early or too late.
        var hurry: Interval?
        var lateness: Interval?
        /// The latest arrival of the last frame sent in each direction. No frame overtakes another.
        var latest: [Instant?] = [.zero, .zero]
        /// True if the server's end is closed and the client's is not; and the time at which the client then first sent
        /// a frame.
        var isServerGone = false
        var unansweredSince: Instant?
        /// True if no frame on it was ever delayed.
        var isTimely = true
        /// False if randomness decides which frames arrive, or the device's network failed.
        var isKnown = true
    }

    /// The values that identify a login in flight.
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
        /// The start of the half-open state, and the connections requested during it. They never complete.
        var halfOpenSince: Instant?
        var hanging: Set<ConnectionID> = []
        /// False if the remaining counts of the rules are unknown. A frame that a waking device sends may go to an
        /// ended connection and use up no rule. A frame from an unknown device may have used one up.
        var areRulesKnown = true
        var isDown = false
        /// The network change that the device must be notified of, and its time.
        var pendingNotice: (change: NetworkChange, since: Instant)?
        var isDelayed = false
        /// The login that was sent over the connection.
        var login: Login?
        /// Logins that may still arrive over ended connections, and whether the network of these connections failed.
        var earlier: [(login: Login, isSevered: Bool)] = []
        /// The requested delay in each direction, and its maximum jitter.
        var delay = Interval.zero
        var jitter = Interval.zero
        /// The maximum latency in each direction without a requested delay.
        static let latencyMax = Interval.milliseconds(50)
        /// A connection that is being opened over a network without faults, and its start.
        var connecting: (id: ConnectionID, since: Instant)?

        /// True if frames to the device arrive.
        var isReliable: Bool { !isHalfOpen && loss == 0 && rules.isEmpty }

        mutating func connects(_ id: ConnectionID, at now: Instant) {
            if isHalfOpen, !isDown { hanging.insert(id) }
            connecting = isReliable && !isDown && !isDelayed ? (id, now) : nil
        }

        /// A frame was sent over a connection that may be this one.
        mutating func lostCount() {
            link?.isKnown = false
            if rules.contains(where: { $0.remaining != nil }) { areRulesKnown = false }
        }

        mutating func apply(_ action: NetAction, at now: Instant) {
            switch action {
            case .down:
                pendingNotice = isDown ? nil : (.down, now)
                hanging.removeAll()
            case .up, .clear: pendingNotice = isDown ? (.up, now) : nil
            case .switchNetwork:
                pendingNotice = (.switched, now)
                hanging.removeAll()
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
                !link.isKnown || (link.due[0].map(\.mark) + link.held[0]).contains(login.mark)
            {
                earlier.append((login, isSevered))
            }
            (link, login) = (nil, nil)
        }

        private mutating func release(at now: Instant) {
            guard let held = link?.held else { return }
            for way in 0...1 where !held[way].isEmpty {
                link?.due[way] += held[way].map { Due(mark: $0, earliest: now, latest: nil) }
                link?.latest[way] = nil
            }
            link?.held = [[], []]
        }

        // A query of a device inside an array, followed by a mutation, copies it. So these methods check and mutate in
        // one call.

        mutating func arrived(_ frame: Frame, atServer id: ConnectionID, at now: Instant) {
            if link?.server == id { arrived(frame, 0, at: now) }
        }

        /// - Parameter awakeSince: the time from which the receiver reads frames.
        mutating func arrived(_ frame: Frame, atClient id: ConnectionID, at now: Instant, awakeSince: Instant) {
            if link?.client == id { arrived(frame, 1, at: now, awakeSince: awakeSince) }
        }

        private mutating func arrived(_ frame: Frame, _ way: Int, at now: Instant, awakeSince: Instant = .zero) {
            link?.arrived[way] += 1
            guard let next = link?.due[way].first, next.mark == Self.mark(frame) else {
                link?.disorder = way
                return
            }
            if now < next.earliest { link?.hurry = next.earliest - now }
            if let latest = next.latest, now > max(latest, awakeSince) { link?.lateness = now - latest }
            link?.due[way].removeFirst()
        }

        /// Distinguishes frames by kind and request number.
        static func mark(_ frame: Frame) -> UInt64 {
            frame.body.name.utf8.reduce(UInt64(frame.request)) { $0 &* 31 &+ UInt64($1) }
        }

        mutating func sent(_ frame: Frame, over id: ConnectionID, at now: Instant) {
            guard link?.client == id else { return }
            if let sent = Login(frame) { login = sent }
            if link?.isServerGone == true, isReliable, link?.isTimely == true, link?.unansweredSince == nil {
                link?.unansweredSince = now
            }
            send(frame, 0, isCounted: true, at: now)
        }

        mutating func answered(_ frame: Frame, over id: ConnectionID, at now: Instant) {
            send(frame, 1, isCounted: link?.server == id, at: now)
        }

        /// - Parameter isCounted: false for a frame over an older connection, which uses up rules too.
        private mutating func send(_ frame: Frame, _ way: Int, isCounted: Bool, at now: Instant) {
            guard !isHalfOpen else { return }
            let action = rules.isEmpty ? nil : useUp(frame, way)
            guard isCounted, link != nil else { return }
            if !areRulesKnown || loss > 0 && (action == nil || action == .duplicate) { link?.isKnown = false }
            let mark = Self.mark(frame)
            var due = Due(mark: mark, earliest: now + delay, latest: nil)
            if action == nil || action == .duplicate, let before = link?.latest[way] {
                due.latest = max(before, now + delay + jitter + Self.latencyMax)
                link?.latest[way] = due.latest
            }
            switch action {
            case nil: link?.due[way].append(due)
            case .drop: break
            case .hold: link?.held[way].append(mark)
            case .duplicate: link?.due[way] += [due, due]
            }
        }

        private mutating func useUp(_ frame: Frame, _ way: Int) -> FrameAction? {
            let direction: LinkDirection = way == 0 ? .toServer : .toClient
            let index = rules.firstIndex { rule in
                (rule.frame == FrameRule.anyFrame || rule.frame == frame.body.name)
                    && (rule.direction == nil || rule.direction == direction)
            }
            guard let index else { return nil }
            let action = rules[index].action
            if let left = rules[index].remaining {
                if left > 1 { rules[index].remaining = left - 1 } else { rules.remove(at: index) }
            }
            return action
        }
    }
}
