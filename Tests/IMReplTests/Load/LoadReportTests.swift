import Foundation
import Testing

@testable import IMRepl

/// Tests of the report that `imrepl load` prints.
@Suite struct LoadReportTests {
    @Test func `percentiles are exact to two hundredths at any size`() throws {
        for scale in [1, 37, 1000, 250_000] as [Int64] {
            var histogram = LatencyHistogram()
            // The values are added in descending order, because the order must not affect the percentiles.
            for value in (1...1000 as ClosedRange<Int64>).reversed() { histogram.add(microseconds: value * scale) }
            for (percent, exact) in [(50.0, 500), (99.0, 990), (100.0, 1000), (0.1, 1)] as [(Double, Int64)] {
                let estimate = try #require(histogram.percentile(percent))
                #expect(estimate >= exact * scale, "\(percent) of \(scale)")
                #expect(Double(estimate) <= Double(exact * scale) * 1.02, "\(percent) of \(scale)")
            }
            #expect(histogram.maxMicroseconds == 1000 * scale)
        }
        #expect(LatencyHistogram().percentile(50) == nil)
        var extreme = LatencyHistogram()
        extreme.add(microseconds: .max)
        extreme.add(microseconds: -5)
        #expect(extreme.percentile(50) == 0)
        #expect(extreme.percentile(99) == .max)
    }

    private var report: LoadReport {
        var report = LoadReport()
        report.clients = 2
        for value in [1500, 2500] as [Int64] {
            report.connect.add(microseconds: value)
            report.login.add(microseconds: value * 2)
        }
        report.sent = 2
        report.seconds = 2
        report.acknowledge.add(microseconds: 800)
        report.note("connection reset")
        return report
    }

    @Test func `a report is printed as lines`() {
        #expect(
            report.lines == [
                "connected     2 of 2, p50 1.50 ms, p99 2.50 ms, max 2.50 ms",
                "logged in     2 of 2, p50 3.01 ms, p99 5.00 ms, max 5.00 ms",
                "sent          2, 1.0 a second",
                "acknowledged  1 of 2, p50 0.80 ms, p99 0.80 ms, max 0.80 ms",
                "delivered     0 of 2",
                "error         1 × connection reset",
            ])
        #expect(!report.isWhole)
    }

    @Test func `with --json a report is one object`() throws {
        let data = Data(report.json(kind: "summary", atSecond: 2).utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["kind"] as? String == "summary")
        #expect(object["clients"] as? Int == 2)
        #expect((object["connect"] as? [String: Any])?["count"] as? Int == 2)
        #expect((object["acknowledge"] as? [String: Any])?["p99"] as? Double == 0.8)
        #expect((object["deliver"] as? [String: Any])?["p99"] == nil)
        #expect((object["errors"] as? [String: Int]) == ["connection reset": 1])
    }

    @Test func `the number of distinct errors is limited`() {
        var report = LoadReport()
        for number in 0..<100 { report.note("error \(number)") }
        #expect(report.errors.count == 33)
        #expect(report.errors["others"] == 68)
    }

    @Test(arguments: [
        ("load", "--connect"), ("load --connect 127.0.0.1:7000", "did you mean 'ws://127.0.0.1:7000'?"),
        ("load --connect ws://h:1 --clients 0", "'--clients <number>': use a whole number from 1 to 10000"),
        ("load --connect ws://h:1 --clients 10001", "'--clients <number>': use a whole number from 1 to 10000"),
        ("load --connect ws://h:1 --rate -1", "--rate"),
        ("load --connect ws://h:1 --seconds 3601", "use a whole number of seconds from 1 to 3600"),
        ("load --connect ws://h:1 --size 32769", "use a whole number of bytes from 1 to 32768"),
        ("load --connect ws://h:1 --tls-ca x.pem", "--tls-ca needs --connect wss://host:port"),
    ]) func `invalid options are reported`(_ line: String, _ expected: String) {
        guard case .failure(let text) = ProgramStart(arguments: line.split(separator: " ").map(String.init)) else {
            Issue.record("'\(line)' was taken")
            return
        }
        #expect(text.contains(expected), "\(text)")
    }
}
