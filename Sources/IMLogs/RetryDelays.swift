/// Waits between attempts, by the number of the retry: the delays without what chance added, and how much it may add.
struct RetryDelays {
    /// Those that no other reason cut short.
    let observed: [Int64]
    /// By how much the waits of each retry differ, in thousandths of the delay.
    let spreads: [Int64]
    /// What chance may add to a wait, in thousandths of it.
    let jitterPerMille: Int64
    private let delays: [Int64]

    /// As `client policy` takes them.
    var text: String { delays.map(String.init).joined(separator: ",") }

    init(_ waits: [[Int64]]) {
        // A network that comes back cuts a wait short.
        let kept = waits.map { waits in
            let agreeing = NumberFit.agreeing(waits)
            if agreeing.count > 2, agreeing.count * 2 > waits.count { return agreeing.sorted() }
            let least = (NumberFit.median(waits) ?? 0) / 2
            return waits.filter { $0 >= least }.sorted()
        }
        let all = kept.flatMap { $0 }
        observed = all
        // No wait is longer than the longest delay, and chance adds nothing to that one.
        let longest = all.max() ?? 0
        let isLongestKnown = all.count { longest - $0 <= 100 } > 1
        func isExact(_ waits: [Int64]) -> Bool {
            guard let least = waits.first, let most = waits.last else { return false }
            return waits.count > 1 && most - least <= 100 || isLongestKnown && longest - least <= 100
        }
        // Of draws between a delay and its longest wait, the ends lie beyond the least and the most.
        var jitters: [(jitter: Int64, weight: Int64)] = []
        for waits in kept where waits.count > 1 && !(isLongestKnown && longest - (waits.first ?? 0) <= 100) {
            let count = Int64(waits.count)
            let range = waits[waits.count - 1] - waits[0]
            let delay = max(1, waits[0] - range / (count - 1))
            let jitter = range <= 100 ? 0 : range * (count + 1) * 1000 / (count - 1) / delay
            jitters.append((min(jitter, 1000), count - 1))
        }
        spreads = jitters.map(\.jitter)
        let weight = jitters.reduce(0) { $0 + $1.weight }
        let jitter = weight > 0 ? jitters.reduce(0) { $0 + $1.jitter * $1.weight } / weight : 0
        jitterPerMille = jitter
        var delays: [Int64?] = kept.map { waits in
            guard !waits.isEmpty else { return nil }
            let mean = waits.reduce(0, +) / Int64(waits.count)
            return isExact(waits) ? mean : mean * 2000 / (2000 + jitter)
        }
        while let last = delays.last, last == nil { delays.removeLast() }
        // A retry without a line has a delay between its neighbours'.
        var full: [Int64] = []
        for index in delays.indices {
            let later = delays[index...].lazy.compactMap { $0 }.first ?? 0
            full.append(delays[index] ?? full.last.map { ($0 + later) / 2 } ?? later)
        }
        self.delays = full
    }
}
