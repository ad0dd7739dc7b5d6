/// Pairs each line of a log with a line of a simulation, in the order of the log. The two paired lines are partners.
struct LineMatch: Sendable {
    let observed: [AppLine]
    /// The lines that the simulation has produced so far.
    var simulated: [AppLine] = []
    /// The index of the line of the log at which the pairing failed: no simulated line matches it, or too many
    /// simulated lines before it have no partner. Nil if the pairing has not failed.
    private(set) var mismatch: Int?
    /// True if the pairing failed because of simulated lines without a partner.
    private(set) var isSurplus = false
    /// The number of simulated lines without a partner in the log.
    private(set) var unmatchedCount = 0
    /// For each paired line of the log, the index of its simulated partner.
    private(set) var partners: [Int] = []

    private let tolerance: Milliseconds
    /// True if only the order of the lines is compared, because the log has no times.
    private let comparesOrder: Bool
    /// The time of the latest simulated line that has a partner.
    private var lastTime: Milliseconds = 0
    private let unmatchedMax: Int
    private let isComplete: Bool
    private let app: ObservedApp
    /// Kinds of callbacks that the simulation has, but no line of the log.
    private var unloggedKinds: [String] = []
    private let begin: Milliseconds
    /// For each hidden login call, the period in which its lines are expected.
    private var hiddenLogins: [(begin: Milliseconds, end: Milliseconds)] = []
    private let hasResults: Bool
    private var isUsed: [Bool] = []
    private var windowStart = 0

    init(_ app: ObservedApp, _ observed: [AppLine], hiddenLogins: [Milliseconds] = []) {
        self.observed = observed
        tolerance = app.tolerance
        comparesOrder = !app.hasTimes
        unmatchedMax = app.lostLinesMax
        isComplete = app.isComplete
        self.app = app
        begin = (observed.first?.time ?? 0) + app.headGrace
        hasResults = observed.contains { $0.kind == .result }
        self.hiddenLogins = hiddenLogins.map { login in
            let next = observed.first { $0.time > login + 1 && ($0.kind == .call || $0.kind == .start) }?.time
            return (login - 1, min(login + 700 + 8 * app.latency, next ?? .max))
        }
    }

    var isWhole: Bool { mismatch == nil }

    /// Searches for the partner of a line among the simulated lines. The simulation must have run at least to the time
    /// of the line plus the tolerance.
    ///
    /// - Returns: true if there is a partner.
    mutating func take(_ index: Int, _ lines: [AppLine]) -> Bool {
        while isUsed.count < lines.count { isUsed.append(false) }
        let line = observed[index]
        while windowStart < lines.count, lines[windowStart].time < line.time - tolerance {
            countUnmatched(lines, windowStart)
            windowStart += 1
        }
        if unmatchedCount > unmatchedMax {
            let implausible = hiddenLogins.last { $0.begin < line.time && !isMostlyMatched($0, lines) }
            mismatch = implausible.flatMap { firstLine(of: $0) } ?? index
            isSurplus = true
            return false
        }
        while let login = hiddenLogins.first, login.end < line.time - tolerance {
            hiddenLogins.removeFirst()
            guard isMostlyMatched(login, lines) else {
                mismatch = firstLine(of: login) ?? index
                isSurplus = true
                return false
            }
        }
        guard let best = comparesOrder ? next(line, lines) : nearest(line, lines) else {
            mismatch = index
            return false
        }
        isUsed[best] = true
        partners.append(best)
        lastTime = max(lastTime, lines[best].time)
        return true
    }

    /// The index of the matching simulated line whose time is nearest to the line's time.
    private func nearest(_ line: AppLine, _ lines: [AppLine]) -> Int? {
        var best: (distance: Milliseconds, index: Int)?
        var position = windowStart
        while position < lines.count, lines[position].time <= line.time + tolerance {
            if !isUsed[position], lines[position].fits(line) {
                let distance = abs(lines[position].time - line.time)
                if best.map({ distance < $0.distance }) ?? true { best = (distance, position) }
            }
            position += 1
        }
        return best?.index
    }

    /// The index of the first matching simulated line after the partners of the earlier lines.
    private func next(_ line: AppLine, _ lines: [AppLine]) -> Int? {
        lines.indices.first { position in
            !isUsed[position] && lines[position].time >= lastTime - AssumedTimes.disorderMax
                && lines[position].time <= line.time + tolerance && lines[position].fits(line)
        }
    }

    mutating func finish(_ lines: [AppLine]) {
        while isUsed.count < lines.count { isUsed.append(false) }
        // The next lines of a complete log would be after its end, so the simulated lines near the end need no partner.
        let end = (observed.last?.time ?? 0) - (isComplete ? tolerance : 0)
        while windowStart < lines.count, lines[windowStart].time <= end {
            countUnmatched(lines, windowStart)
            windowStart += 1
        }
        let areMostlyMatched = hiddenLogins.allSatisfy { isMostlyMatched(($0.begin, min($0.end, end)), lines) }
        if unmatchedCount > unmatchedMax || !areMostlyMatched {
            mismatch = observed.count - 1
            isSurplus = true
        }
    }

    /// The index of the first line of the log that can belong to a login.
    private func firstLine(of login: (begin: Milliseconds, end: Milliseconds)) -> Int? {
        observed.firstIndex { $0.time >= login.begin - 100 }
    }

    /// True if most simulated lines of a hidden login have a partner. Otherwise the login is not plausible, because the
    /// log would lack more than its call.
    private func isMostlyMatched(_ login: (begin: Milliseconds, end: Milliseconds), _ lines: [AppLine]) -> Bool {
        var (matched, missing) = (0, 0)
        for (index, line) in lines.enumerated() where line.time >= login.begin && line.time <= login.end {
            switch line.kind {
            case .callback where app.logs(line): break
            case .result where hasResults: break
            default: continue
            }
            if isUsed[index] { matched += 1 } else { missing += 1 }
        }
        return matched > missing
    }

    private mutating func countUnmatched(_ lines: [AppLine], _ index: Int) {
        guard !isUsed[index], lines[index].time >= begin else { return }
        let line = lines[index]
        guard line.kind == .callback || line.kind == .result else { return }
        if !isComplete, !app.logs(line) {
            // If the log contains no callbacks at all, the app does not log them, and none was lost.
            guard !app.callbackKinds.isEmpty else { return }
            guard !unloggedKinds.contains(line.callbackKind) else { return }
            unloggedKinds.append(line.callbackKind)
        }
        unmatchedCount += 1
    }

    /// True if a simulated line has a partner in the log.
    func isMatched(_ index: Int) -> Bool { index < isUsed.count && isUsed[index] }
}
