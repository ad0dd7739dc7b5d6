import IMClient
import IMProtocol
import IMSession
import SansIO

// A device's network and its link, as an own reading of the verbs of the network has them.

extension NetworkOracle {
    /// A frame that has to arrive, not before and not behind that; nil where it waits for others.
    struct Due {
        var mark: UInt64
        var earliest: Instant
        var latest: Instant?
    }

    /// A link as both ends know it.
    struct Link {
        var client: ConnectionID
        var server: ConnectionID?
        /// The frames that have to arrive, in that order, by the way that they go.
        var due: [[Due]] = [[], []]
        var held: [[UInt64]] = [[], []]
        /// How many have arrived.
        var arrived = [0, 0]
        /// Whether one arrived that was not the next.
        var disorder: Int?
        /// By how much one came before its delay was over, and how long behind it.
        var hurry: Interval?
        var lateness: Interval?
        /// When the last one that was sent each way arrives at the latest: none overtakes another.
        var latest: [Instant?] = [.zero, .zero]
        /// The server's end is closed and the client's is not, and whether something has been said into it since.
        var isServerGone = false
        var unansweredSince: Instant?
        /// Nothing on it was ever late.
        var isTimely = true
        /// Chance decides, or the device's network went away under it: nothing is known.
        var isKnown = true
    }

    /// What a login is known by on its way.
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
        /// Since when packets vanish without a word, and the links that were asked for meanwhile: they hang for good.
        var halfOpenSince: Instant?
        var hanging: Set<ConnectionID> = []
        /// What a device says as it wakes may go to a link that has ended meanwhile, and use up no rule; what nobody knows
        /// the device of may have used one up.
        var areRulesKnown = true
        var isDown = false
        /// What the device is to be told of its network, and since when.
        var untold: (change: NetworkChange, since: Instant)?
        var isDelayed = false
        /// The login that was sent over the link.
        var login: Login?
        /// Those that may still come over links that have ended, and whether the network went away under these.
        var earlier: [(login: Login, isSevered: Bool)] = []
        /// The delay of each way that was asked for, and by how much it may be more.
        var delay = Interval.zero
        var jitter = Interval.zero
        /// A way takes no longer without any delay.
        static let latencyMax = Interval.milliseconds(50)
        /// A link that is being made over a network that lacks nothing, and since when.
        var connecting: (id: ConnectionID, since: Instant)?

        /// Whether what is sent to it arrives.
        var isReliable: Bool { !isHalfOpen && loss == 0 && rules.isEmpty }

        mutating func connects(_ id: ConnectionID, at now: Instant) {
            if isHalfOpen, !isDown { hanging.insert(id) }
            connecting = isReliable && !isDown && !isDelayed ? (id, now) : nil
        }

        /// Something went over a link that may be its own.
        mutating func lostCount() {
            link?.isKnown = false
            if rules.contains(where: { $0.remaining != nil }) { areRulesKnown = false }
        }

        mutating func apply(_ action: NetAction, at now: Instant) {
            switch action {
            case .down:
                untold = isDown ? nil : (.down, now)
                hanging.removeAll()
            case .up, .clear: untold = isDown ? (.up, now) : nil
            case .switchNetwork:
                untold = (.switched, now)
                hanging.removeAll()
            default: break
            }
            connecting = nil
            if ![.clear, .up, .release].contains(action) { link?.unansweredSince = nil }
            switch action {
            case .down, .switchNetwork:
                endLink(isSevered: true)
                for place in earlier.indices { earlier[place].isSevered = true }
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

        // What is asked of a device in a list before it is changed copies it: these ask by themselves.

        mutating func arrived(_ frame: Frame, atServer id: ConnectionID, at now: Instant) {
            if link?.server == id { arrived(frame, 0, at: now) }
        }

        /// - Parameter awakeSince: since when the end reads what comes.
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

        /// Tells frames apart that are not of one kind or not of one request.
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

        /// - Parameter isCounted: false for one over an older link, which uses up rules all the same.
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
            let place = rules.firstIndex { rule in
                (rule.frame == FrameRule.anyFrame || rule.frame == frame.body.name)
                    && (rule.direction == nil || rule.direction == direction)
            }
            guard let place else { return nil }
            let action = rules[place].action
            if let left = rules[place].remaining {
                if left > 1 { rules[place].remaining = left - 1 } else { rules.remove(at: place) }
            }
            return action
        }
    }
}
