import Foundation
import IMDebugger
import IMExplorer
import SansIO

// Measures how fast a search plays scenarios of three devices and about ten minutes, for each profile, with and without
// checkers.
//
//     swift run -c release --package-path SelfTests/Benchmarks Explore

let explorer = Explorer()
var scenarios: [Scenario] = []
var block: UInt64 = 0
while scenarios.count < 400 {
    let seeds = block * Explorer.blockLength..<(block + 1) * Explorer.blockLength
    _ = try explorer.search(block, seeds: seeds) { _, scenario, _ in
        let minutes = scenario.duration.inMilliseconds / 60_000
        if scenario.clients.count == 3, (8..<12).contains(minutes) { scenarios.append(scenario) }
        return true
    }
    block += 1
}

/// Plays the scenarios several times, and prints the shortest time, because other load on the computer can only make a
/// run slower.
func measure(_ scenarios: [Scenario], _ name: String, hasCheckers: Bool) throws {
    var options = ScenarioPlayer.Options()
    options.hasCheckers = hasCheckers
    var best = Duration.seconds(3600)
    var eventCount = 0
    for _ in 0..<5 {
        let start = ContinuousClock.now
        eventCount = try scenarios.reduce(0) { try $0 + ScenarioPlayer($1, options).play().events }
        best = min(best, ContinuousClock.now - start)
    }
    let seconds = best / .seconds(1)
    let each = String(eventCount / max(1, scenarios.count))
    let figures = [Double(scenarios.count), Double(eventCount)].map { String(format: "%.0f", $0 / seconds) }
    print("| \(name) | \(hasCheckers ? "all" : "none") | \(each) | \(figures.joined(separator: " | ")) |")
}

print("| systems | checkers | events in each | scenarios a second | events a second |")
print("|---|---|---|---|---|")
for hasCheckers in [true, false] {
    try measure(scenarios, "all", hasCheckers: hasCheckers)
    // The number of events in ten minutes depends on the profile: some clients send a heartbeat each second.
    for profile in Set(scenarios.map(\.profile)).sorted() {
        try measure(scenarios.filter { $0.profile == profile }, profile, hasCheckers: hasCheckers)
    }
}
