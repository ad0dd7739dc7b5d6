import SansIO
import Testing

/// Instants from files can have any value, so no sum may trap.
@Suite struct InstantTests {
    private let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    @Test("design 2: sums and differences of instants stop at the ends of the range instead of trapping")
    func sumsSaturate() {
        #expect(Instant(nanoseconds: .max) + .nanoseconds(1) == .distantFuture)
        #expect(Instant(nanoseconds: .min) + .nanoseconds(-1) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .min) - .nanoseconds(1) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .max) - .nanoseconds(-1) == .distantFuture)
        #expect(Instant(nanoseconds: 0) - .nanoseconds(.min) == .distantFuture)
        #expect(Instant(nanoseconds: .max) - Instant(nanoseconds: .min) == .nanoseconds(.max))
        #expect(Instant(nanoseconds: .min) - Instant(nanoseconds: .max) == .nanoseconds(.min))
        #expect(Interval(nanoseconds: .max) + .nanoseconds(.max) == .nanoseconds(.max))
        #expect(Interval(nanoseconds: .min) - .nanoseconds(.max) == .nanoseconds(.min))
    }

    @Test("design 2: products of intervals stop at the ends of the range, with the right sign")
    func productsSaturate() {
        #expect(Interval(nanoseconds: .max) * 2 == .nanoseconds(.max))
        #expect(Interval(nanoseconds: .max) * -2 == .nanoseconds(.min))
        #expect(Interval(nanoseconds: .min) * -1 == .nanoseconds(.max))
        #expect(Interval(nanoseconds: .min) * 2 == .nanoseconds(.min))
        #expect(Interval.seconds(.max) == .nanoseconds(.max))
        #expect(Interval.minutes(.min) == .nanoseconds(.min))
        #expect(Interval.milliseconds(.min) == .nanoseconds(.min))
        #expect(Interval.microseconds(.max) == .nanoseconds(.max))
    }

    @Test("design 2: every pair of extremes keeps its order through every operation")
    func extremesKeepTheirOrder() {
        for left in extremes {
            for right in extremes {
                let sum = Instant(nanoseconds: left) + .nanoseconds(right)
                #expect(right < 0 ? sum <= Instant(nanoseconds: left) : sum >= Instant(nanoseconds: left))
                let gap = Instant(nanoseconds: left) - Instant(nanoseconds: right)
                #expect((gap > .zero) == (left > right))
                #expect((gap == .zero) == (left == right))
            }
        }
    }

    @Test("design 2: units are multiples of a nanosecond, and milliseconds round towards zero")
    func unitsAreExact() {
        #expect(Interval.minutes(2) == .seconds(120))
        #expect(Interval.seconds(1) == .milliseconds(1000))
        #expect(Interval.milliseconds(1) == .microseconds(1000))
        #expect(Interval.microseconds(1) == .nanoseconds(1000))
        #expect(Interval.nanoseconds(1_999_999).inMilliseconds == 1)
        #expect(Interval.nanoseconds(-1_999_999).inMilliseconds == -1)
        #expect(Interval.milliseconds(1500).inSeconds == 1.5)
    }
}
