/// Compares a log with a simulation, independently of ``LineMatch``, which the search uses.
package struct ExplanationCheck: Sendable {
    /// A kind of callback or result of which the simulation has more lines than the log.
    package struct Surplus: Sendable {
        package var kind: String
        package var count: Int
        /// True if the log has other lines of this kind.
        package var isLogged: Bool
    }

    /// The numbers of the log's lines that the simulation lacks.
    package var missing: [Int] = []
    /// The simulated callbacks and results that the log lacks, grouped by kind, in the order of their times.
    package private(set) var surplus: [Surplus] = []
    /// The number of surplus lines.
    package var surplusCount: Int { surplus.reduce(0) { $0 + $1.count } }
    package var observed: Int
    private let extraMax: Int
    /// The minimum number of lines that the log must have lost.
    private var lostCount = 0

    init(_ observed: [AppLine], _ simulated: [AppLine], _ app: ObservedApp) {
        self.observed = observed.count
        extraMax = app.lostLinesMax
        var free = Array(simulated.indices)
        for line in observed {
            let fitting = free.filter {
                simulated[$0].fits(line) && abs(simulated[$0].time - line.time) <= app.tolerance
            }
            let nearest = fitting.min { abs(simulated[$0].time - line.time) < abs(simulated[$1].time - line.time) }
            if let nearest { free.removeAll { $0 == nearest } } else { missing.append(line.number) }
        }
        guard let first = observed.first, let last = observed.last else { return }
        let left = free.map { simulated[$0] }.filter {
            ($0.kind == .callback || $0.kind == .result) && $0.time >= first.time + min(0, app.headGrace)
                && $0.time <= last.time
        }
        for line in left { add(line, app) }
        let known = left.filter {
            $0.time >= first.time + app.headGrace && $0.time <= last.time - (app.isComplete ? app.tolerance : 0)
        }
        if app.isComplete {
            lostCount = known.count
            return
        }
        // If the log contains no line of a kind, the app probably does not log this kind, so it counts as one lost
        // line. If the log contains no callbacks at all, they do not count.
        let unloggedKinds = Set(known.filter { !app.logs($0) }.map(\.callbackKind))
        lostCount = known.count(where: app.logs) + (app.callbackKinds.isEmpty ? 0 : unloggedKinds.count)
    }

    private mutating func add(_ line: AppLine, _ app: ObservedApp) {
        let kind = line.kind == .result ? line.text : line.callbackKind
        if let index = surplus.firstIndex(where: { $0.kind == kind }) {
            surplus[index].count += 1
        } else {
            let isLogged =
                line.kind == .result
                ? app.lines.contains { $0.kind == .result && $0.name == line.name }
                : app.callbackKinds.contains(line.callbackKind)
            surplus.append(Surplus(kind: kind, count: 1, isLogged: isLogged))
        }
    }

    package var isReproduced: Bool { missing.isEmpty && lostCount <= extraMax }
}
