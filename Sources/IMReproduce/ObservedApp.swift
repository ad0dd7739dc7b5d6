import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The lines of one device's log that a simulation can produce, and the properties of the device and its log.
package struct ObservedApp: Sendable {
    /// The name of the device's client in the simulated world.
    static let client = "phone"

    package var profile: String
    package var platform: Platform
    /// The lines, with their times in the simulated world, in order.
    package var lines: [AppLine] = []
    /// True if the log begins after the start of the app's process.
    package var lacksStart: Bool
    /// True if the times come from a monotonic clock.
    package var hasMonotonicClock: Bool
    /// True if the log has every call, result and callback.
    package let isComplete: Bool
    /// True if the log has times. If not, the lines have assumed times, and only their order is compared.
    package let hasTimes: Bool
    /// The time of the first compared line in the simulated world.
    private(set) package var origin: Milliseconds
    /// The time between the first line of the log and the first line that can be compared.
    private let head: Milliseconds
    /// The maximum difference between the time of a line and the time of its simulated partner.
    package var tolerance: Milliseconds
    /// The maximum difference in time of two lines that belong together.
    var slack: Milliseconds { hasTimes ? tolerance : 430 }
    /// The one-way delay of the network.
    package var latency: Milliseconds = 10
    /// The callbacks that are not compared, because no simulation produces them or because they are copies.
    package var ignoredCallbacks: [IgnoredCallback] = []
    /// The kinds of callbacks in the log.
    private(set) var callbackKinds: [String] = []
    /// True if the log begins with a login call. Then a login before the log is unlikely.
    private(set) var beginsWithLogin = false
    /// The time in the simulated world at which the device's client is created.
    private(set) var begin: Milliseconds
    /// The maximum number of simulated lines that the log may lack.
    package var lostLinesMax = 0
    /// The sleeps of the device, if the log has a clock that stops during sleep.
    package var sleeps: [Sleep] = []

    /// True if the log has a clock that stops during sleep besides the clock that continues. The two clocks differ by
    /// the length of each sleep, so the log shows every sleep.
    package var showsSleep = false

    /// Callbacks that are not compared with the simulation.
    package struct IgnoredCallback: Hashable, Sendable {
        /// The reason why the callbacks are not compared.
        package enum Reason: Hashable, Sendable {
            /// The profile has no such callback.
            case unknown
            /// Each of the callbacks repeats the callback directly before it.
            case copy
        }

        package var callbackKind: String
        package var reason: Reason
        /// The numbers of the lines.
        package var lines: [Int]
    }

    /// A sleep of the device. It is found from two clocks in the log, of which one stops during sleep.
    package struct Sleep: Hashable, Sendable {
        /// The index of the first line after the sleep.
        package var line: Int
        package var length: Milliseconds
    }

    /// - Parameters:
    ///   - events: the events of the log's lines, with nanoseconds since the first line.
    ///   - isComplete: true if no line of the SDK is missing.
    ///   - hasTimes: true if the log has times; if false, the offsets are not used.
    ///   - tolerance: nil to derive it from the latency; not used for a log without times.
    package init?(
        _ events: [(offset: Int64, event: LoggedEvent, awake: Int64?)], profile: String, platform: Platform,
        hasMonotonicClock: Bool, isComplete: Bool = false, hasTimes: Bool = true, tolerance: Milliseconds? = nil
    ) {
        guard let vendor = VendorCausesList.causes(of: profile), let dialect = Dialects.named(profile) else {
            return nil
        }
        self.profile = profile
        self.platform = platform
        // Without times, no change of the clock is assumed.
        self.hasMonotonicClock = hasMonotonicClock || !hasTimes
        self.isComplete = isComplete
        self.hasTimes = hasTimes
        let known = events.filter { [.call, .return, .callback, .life].contains($0.event.kind) }
        guard let first = known.first else { return nil }
        lacksStart = !(first.event.kind == .life && first.event.name == LoggedEvent.processStarted)
        origin = lacksStart ? 4_000_000 : 5_000
        begin = lacksStart ? 1000 : origin
        head = first.offset / 1_000_000
        self.tolerance = 0
        let user = Self.user(in: known.map(\.event))
        var kickedAt: Milliseconds?
        var parsed: [(line: AppLine, offset: Int64, awake: Int64?)] = []
        let normalizedEvents = vendor.normalized(known.map(\.event))
        for ((offset, event, awake), normalizedEvent) in zip(known, normalizedEvents) {
            let time = origin + (offset - first.offset + 500_000) / 1_000_000
            let substitute = vendor.substitute(for: event)
            guard var line = Self.line(normalizedEvent, at: time, comparedAs: substitute, user: user) else { continue }
            // After a kick, the SDK itself calls logout. The line is ignored, because it is not a call of the app.
            if let kickedAt, time - kickedAt < 60, line.name == "logout", vendor.logsOutAfterKick { continue }
            // A callback that the profile does not have cannot be compared.
            let shape = dialect.callbacks.first { $0.name == line.name }
            if line.kind == .callback, shape == nil {
                ignore(line, .unknown)
                continue
            }
            line.isPartial = substitute == nil && line.isPartial(of: shape)
            if vendor.meaning(of: line) == .kicked { kickedAt = time }
            line.stamp = event.stamp
            parsed.append((line, offset, awake))
        }
        if !hasTimes {
            let times = AssumedTimes(parsed.map(\.line), vendor, dialect, origin: origin).times
            for index in parsed.indices { parsed[index].line.time = times[index] }
        }
        let copies = Self.copies(in: parsed.map(\.line), isComplete: isComplete)
        var clocks: (offset: Int64, awake: Int64)?
        for (index, (line, offset, awake)) in parsed.enumerated() {
            if copies.contains(index) {
                ignore(line, .copy)
                continue
            }
            if let awake {
                showsSleep = true
                let slept = clocks.map { (offset - $0.offset) - (awake - $0.awake) } ?? 0
                if slept > 500_000_000 { sleeps.append(Sleep(line: lines.count, length: slept / 1_000_000)) }
                clocks = (offset, awake)
            }
            lines.append(line)
            if line.kind == .callback, !callbackKinds.contains(line.callbackKind) {
                callbackKinds.append(line.callbackKind)
            }
        }
        guard let first = lines.first else { return nil }
        if !lacksStart { begin = first.time }
        beginsWithLogin = lacksStart && Self.beginsWithLogin(lines, vendor)
        if hasTimes { latency = vendor.latency(of: lines) }
        lostLinesMax = isComplete ? 0 : 2 + lines.count { $0.kind == .callback || $0.kind == .result } * 18 / 100
        // NIM's Android SDK reports fewer statuses than the simulation has login steps, so more lines are missing.
        if known.contains(where: { $0.event.name == NIMStatusCodes.callback }) { lostLinesMax += 5 }
        // The delays of a real network vary, and a login takes four to six one-way delays. So the tolerance grows with
        // the latency.
        self.tolerance =
            hasTimes ? tolerance ?? 430 + max(0, latency - 150) * 3 / 2 : AssumedTimes.tolerance
    }

    private mutating func ignore(_ line: AppLine, _ reason: IgnoredCallback.Reason) {
        let kind = reason == .unknown ? line.name : line.callbackKind
        if let index = ignoredCallbacks.firstIndex(where: { $0.callbackKind == kind && $0.reason == reason }) {
            ignoredCallbacks[index].lines.append(line.number)
        } else {
            ignoredCallbacks.append(IgnoredCallback(callbackKind: kind, reason: reason, lines: [line.number]))
        }
    }

    /// The indices of repeated callbacks, for kinds of callbacks that the log always contains twice.
    private static func copies(in lines: [AppLine], isComplete: Bool) -> [Int] {
        var copies: [Int] = []
        var last: [(line: AppLine, isCopy: Bool)] = []
        for (index, line) in lines.enumerated() where line.kind == .callback {
            last.removeAll { line.time - $0.line.time > 60 }
            let isCopy = last.contains { !$0.isCopy && $0.line.key == line.key }
            if isCopy { copies.append(index) }
            last.append((line, isCopy))
        }
        let kinds = copies.map { lines[$0].callbackKind }
        return copies.filter { index in
            let kind = lines[index].callbackKind
            let pairs = kinds.count { $0 == kind }
            let all = lines.count { $0.callbackKind == kind }
            if isComplete { return pairs > 1 && all == 2 * pairs }
            // In an incomplete log, the second line of some pairs may be lost.
            return all == 2 * pairs || pairs > 1 && (all - pairs) * 3 <= pairs * 4 + 3
        }
    }

    private static func line(
        _ event: LoggedEvent, at time: Milliseconds, comparedAs substitute: [AnswerField]?, user: String
    ) -> AppLine? {
        var fields = event.fields.filter { $0.name != "id" || event.kind == .callback }
        if event.kind == .call, event.name == "login" || event.name == "autologin" {
            // Only these fields are used. A token in the log is removed.
            fields.removeAll { !["user", "forced", "offline"].contains($0.name) }
            if !fields.contains(where: { $0.name == "user" }) {
                fields.append(AnswerField(name: "user", value: user))
            }
        }
        switch event.kind {
        case .call: return AppLine(time: time, kind: .call, name: event.name, fields: fields, number: event.line)
        case .return:
            return AppLine(
                time: time, kind: .result, name: event.name, fields: fields, number: event.line, comparedAs: substitute)
        case .callback:
            return AppLine(
                time: time, kind: .callback, name: event.name, fields: fields, number: event.line,
                comparedAs: substitute)
        case .life:
            if event.name == LoggedEvent.processStarted {
                return AppLine(time: time, kind: .start, name: "process", number: event.line)
            }
            guard event.name == "background" || event.name == "foreground" else { return nil }
            return AppLine(time: time, kind: .life, name: event.name, number: event.line)
        case .frame, .line: return nil
        }
    }

    /// The user in the first login call that contains one.
    private static func user(in events: [LoggedEvent]) -> String {
        for event in events where event.kind == .call && ["login", "autologin"].contains(event.name) {
            if let user = event.fields.first(where: { $0.name == "user" })?.value { return user }
        }
        return "alice"
    }

    /// True if the first line about a login is a login call. A line can be written some milliseconds late, so the first
    /// callbacks may precede the line of the call.
    private static func beginsWithLogin(_ lines: [AppLine], _ vendor: any VendorCauses) -> Bool {
        let first = lines.first { line in
            switch line.kind {
            case .call: line.isOnlineLoginCall
            case .callback: line.time - lines[0].time > disorderMax || vendor.meaning(of: line) != .connecting
            case .result: true
            case .start, .life: false
            }
        }
        return first?.kind == .call
    }

    /// Two lines with a smaller difference in time may be in the wrong order.
    static let disorderMax: Milliseconds = 20

    /// The time of the log's first line in the simulated world. That line may be one that cannot be compared.
    var logBegin: Milliseconds { origin - head }

    /// The time after the first line from which simulated lines need a partner. A log that begins during a login does
    /// not contain the first lines of that login.
    var headGrace: Milliseconds { lacksStart && !beginsWithLogin ? 100 : -tolerance }

    /// The time of day for a time in the simulated world, in the format of the log: `21:40:03:221`. Nil for a log
    /// without times of day.
    func clock(at time: Milliseconds) -> String? {
        guard let line = lines.last(where: { $0.time <= time }) ?? lines.first else { return nil }
        return TimeOfDay(line.stamp)?.adding(time - line.time).text
    }

    /// True for a result, and for a callback of a kind that the log contains. The lines of an app's own log may lack
    /// the fields of the kind, so the name alone is sufficient.
    func logs(_ line: AppLine) -> Bool {
        line.kind == .result || callbackKinds.contains(line.callbackKind) || callbackKinds.contains(line.name)
    }

    /// The app with all lines earlier by `shift`.
    func moved(by shift: Milliseconds) -> ObservedApp {
        var app = self
        app.origin -= shift
        app.begin = max(0, begin - shift)
        app.lines = lines.map { $0.moved(to: $0.time - shift) }
        return app
    }

    /// The app without one field of one line.
    func without(_ field: String, ofLine index: Int) -> ObservedApp {
        var app = self
        let line = lines[index]
        var other = AppLine(
            time: line.time, kind: line.kind, name: line.name, fields: line.fields.filter { $0.name != field },
            number: line.number)
        other.stamp = line.stamp
        other.isPartial = true
        app.lines[index] = other
        if other.kind == .callback { app.callbackKinds.append(other.callbackKind) }
        return app
    }

    /// The user of the app's first login call.
    var user: String {
        lines.first(where: \.isLoginCall)?["user"] ?? "alice"
    }
}

extension AppLine {
    /// True if the fields of the line differ from the declared ones, as in an app's own log. Then only the common
    /// fields are compared.
    ///
    /// - Parameter shape: the declaration of the callback; nil for other lines.
    fileprivate func isPartial(of shape: CallbackShape?) -> Bool {
        switch kind {
        case .callback:
            shape.map { shape in !shape.fields.allSatisfy { self[$0.name] != nil } } ?? false
                || fields.count != shape?.fields.count
        case .result: self["code"] == nil
        case .call: true
        case .start, .life: false
        }
    }
}
