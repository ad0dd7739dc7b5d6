import Benchmark
import IMSession
import Recorder
import SansIO

// Two hours of three agora-rtm clients have about 108 000 events.
let benchmarks: @Sendable () -> Void = {
    let few = Benchmark.Configuration(
        metrics: [.wallClock, .throughput, .peakMemoryResident], warmupIterations: 1, maxDuration: .seconds(20),
        maxIterations: 20)

    Benchmark("verify, two hours of agora-rtm", configuration: few) { benchmark in
        let reader = try SessionReader(bytes: try Scenario.recorded(hours: 2))
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(try Verifier.verify(reader, schema: IMSessionSchema()))
        }
        benchmark.stopMeasurement()
    }

    for (name, comments) in [("without comments", false), ("with comments", true)] {
        Benchmark("record two hours of agora-rtm \(name)", configuration: few) { benchmark in
            let scenario = try Scenario("agora-rtm", into: NoSink(), comments: comments)
            scenario.pass(hours: 1)
            benchmark.startMeasurement()
            blackHole(scenario.pass(hours: 2))
            benchmark.stopMeasurement()
            try scenario.world.shutDown()
        }
    }

    let many = Benchmark.Configuration(
        metrics: [.wallClock, .throughput], warmupIterations: 10, maxDuration: .seconds(5), maxIterations: 100_000)

    Benchmark("a copy of a running world of three clients", configuration: many) { benchmark in
        let scenario = try Scenario("agora-rtm")
        scenario.pass(hours: 1)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try scenario.world.copy()) }
        benchmark.stopMeasurement()
    }

    Benchmark("the same, and a minute of the copy", configuration: many) { benchmark in
        let scenario = try Scenario("agora-rtm")
        scenario.pass(hours: 1)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            let copy = try scenario.world.copy()
            blackHole(copy.run(until: copy.core.now + .seconds(60)) { _ in false })
        }
        benchmark.stopMeasurement()
    }

    Benchmark("a world made, a login played and thrown away", configuration: many) { benchmark in
        for _ in benchmark.scaledIterations {
            let scenario = try Scenario("nim")
            blackHole(scenario.world.run(until: scenario.world.core.now + .seconds(2)) { _ in false })
        }
    }

    for profile in ["nim", "agora-rtm"] {
        Benchmark("one idle hour of \(profile), not recorded", configuration: few) { benchmark in
            let scenario = try Scenario(profile)
            benchmark.startMeasurement()
            blackHole(scenario.pass(hours: 1))
            benchmark.stopMeasurement()
        }
    }
}
