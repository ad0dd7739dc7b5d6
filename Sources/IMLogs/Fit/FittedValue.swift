import Foundation

/// A number with the interval that contains it with a probability of 90 %.
struct FittedValue {
    var value: Int64
    var low: Int64
    var high: Int64

    /// The maximum relative distance from the value to each end of its interval. If the interval is wider, the log does
    /// not show the value.
    private static let share = 0.15
    /// 90 % of a normal distribution are within this many standard deviations from its mean.
    private static let deviations = 1.645

    init(_ value: Double, low: Double, high: Double) {
        self.value = Int64(value.rounded())
        self.low = Int64(min(low, value).rounded())
        self.high = Int64(max(high, value).rounded())
    }

    /// The median of observations that each have an error.
    ///
    /// - Parameter error: the minimum standard deviation of an observation.
    init?(_ observed: [Double], error: Double) {
        guard !observed.isEmpty else { return nil }
        let middle = observed.sorted()[observed.count / 2]
        let distances = observed.map { abs($0 - middle) }.sorted()
        // The standard error of the median is a quarter larger than that of the mean.
        let deviation = max(error, 1.48 * distances[distances.count / 2])
        let half = 1.25 * Self.deviations * deviation / Double(observed.count).squareRoot()
        self.init(middle, low: max(0, middle - half), high: middle + half)
    }

    /// True if the interval is so narrow that the log shows the value.
    ///
    /// - Parameter slack: a distance that is allowed for any value.
    func isShown(slack: Int64 = 1) -> Bool {
        let most = max(slack, Int64(Self.share * Double(value)))
        return value - low <= most && high - value <= most
    }
}

/// Numbers with their probabilities.
struct WeightedNumbers {
    private var all: [(number: Double, weight: Double)] = []

    mutating func add(_ number: Double, weight: Double) {
        all.append((number, weight))
    }

    /// The 5 % and 95 % quantiles; nil if the sum of the weights is 0.
    var interval: (low: Double, high: Double)? {
        let order = all.sorted { $0.number < $1.number }
        let total = order.reduce(0) { $0 + $1.weight }
        guard total > 0, let last = order.last else { return nil }
        func below(_ share: Double) -> Double {
            var sum = 0.0
            for (number, weight) in order {
                sum += weight
                if sum >= share * total { return number }
            }
            return last.number
        }
        return (below(0.05), below(0.95))
    }
}
