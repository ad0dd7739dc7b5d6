import SansIO
import Testing

@testable import IMText

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", Int64(250_000_000)), ("5s", 5_000_000_000), ("2m", 120_000_000_000), ("1h", 3_600_000_000_000),
        ("1.5s", 1_500_000_000), ("100us", 100_000), ("100µs", 100_000), ("7ns", 7), ("0s", 0), ("0.1m", 6_000_000_000),
        ("1.000000001s", 1_000_000_001), ("0.0000000001s", 0), ("1.9999999999999999s", 1_999_999_999),
        ("9223372036854775807ns", Int64.max), ("0.333h", 1_198_800_000_000), ("007s", 7_000_000_000),
        ("9m40s", 580_000_000_000), ("1h30m", 5_400_000_000_000), ("1m30.5s", 90_500_000_000),
        ("2s250ms", 2_250_000_000), ("1h0m7s", 3_607_000_000_000), ("1h1m1s1ms1us1ns", 3_661_001_001_001),
        ("2562047h47m16s854ms775us807ns", Int64.max),
    ])
    func reads(text: String, nanoseconds: Int64) {
        #expect(DurationText.interval(text)?.nanoseconds == nanoseconds)
        #expect(DurationText.signedInterval("+" + text)?.nanoseconds == nanoseconds)
        #expect(DurationText.signedInterval("-" + text)?.nanoseconds == -nanoseconds)
    }

    @Test(arguments: [
        "", "5", "s", "5 s", ".5s", "5.s", "1.2.3s", "-5s", "5S", "5sec", "1e3s", "٥s",
        "9223372036854775808ns",
        "9223372037s", "2562048h", "99999999999999999999999s", "+", "0x5s",
        "1m30", "30s1m", "1s1s", "1.5m30s", "1m 30s", "1m-30s", "1m.5s", "2562047h48m", "1ms5us7", "1s500µs2us",
    ])
    func refuses(text: String) {
        #expect(DurationText.interval(text) == nil)
    }

    @Test func writesTheShortestForm() {
        let cases: [(Int64, String)] = [
            (0, "0s"), (250_000_000, "250ms"), (12_500_000_000, "12.5s"), (120_000_000_000, "2m"),
            (90_000_000_000, "90s"),
            (3_600_000_000_000, "1h"), (1_500, "1.5us"), (7, "7ns"), (-5_000_000_000, "-5s"),
            (1_000_000_001, "1.000000001s"),
        ]
        for (nanoseconds, text) in cases { #expect(Interval(nanoseconds: nanoseconds).text == text) }
        #expect(Interval.milliseconds(3_250).offsetText == "+3.250s")
        #expect(Interval.milliseconds(-7).offsetText == "-0.007s")
        #expect(Interval(nanoseconds: 999_999).offsetText == "+0.000s")
        #expect(Interval(nanoseconds: .min).offsetText == "-9223372036.854s")
    }

    @Test func readsItsOwnOutput() {
        var random = SeededRandom(seed: 7)
        let bounds: [Int64] = [.min, .max, .min + 1, 0, 1, -1, 59_999_999_999, 60_000_000_000]
        let randomValues = (0..<2_000).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 60) }
        for nanoseconds in bounds + randomValues {
            let interval = Interval(nanoseconds: nanoseconds)
            #expect(DurationText.signedInterval(interval.text) == interval, "\(nanoseconds)")
        }
    }

    @Test func readsWallClockTimes() {
        #expect(EpochText.nanoseconds("1970-01-01T00:00:00Z") == 0)
        #expect(EpochText.nanoseconds("2026-02-03T04:05:06Z") == 1_770_091_506_000_000_000)
        #expect(EpochText.nanoseconds("2000-02-29T00:00:00Z") == 951_782_400_000_000_000)
        #expect(EpochText.nanoseconds("1969-12-31T23:59:59Z") == -1_000_000_000)
        #expect(EpochText.nanoseconds("1770091506") == 1_770_091_506_000_000_000)
        for text in [
            "", "2026-02-30T00:00:00Z", "1900-02-29T00:00:00Z", "2026-2-3T04:05:06Z", "2026-02-03T24:00:00Z", "now",
        ] {
            #expect(EpochText.nanoseconds(text) == nil)
        }
        #expect(EpochText.nanoseconds("9999-01-01T00:00:00Z") == nil)
    }
}
