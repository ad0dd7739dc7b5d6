import Foundation

/// Replaces numbers of the tree that may identify a person, such as a phone number or a position on a map. The
/// pseudonyms of numbers with equally many digits have the same order as the numbers.
struct NumberPseudonyms {
    /// Milliseconds since 1970 that are near the time of the recording. Such numbers are not replaced, because the
    /// server writes them.
    let times: ClosedRange<Double>
    private var originals: Set<Double> = []
    private var pseudonyms: [Double: Double] = [:]

    /// Smaller whole numbers are not replaced: they are counters, ages or amounts.
    private static let wholeMin = 1_000_000.0
    /// Numbers with at most three decimals are not replaced. Multiplied by this, they are whole.
    private static let decimalsFactor = 1_000.0
    private static let yearMilliseconds = 365.0 * 86_400_000
    private static let years = 10.0

    /// - Parameter epochMilliseconds: the start of the recording, in milliseconds since 1970.
    init(epochMilliseconds: Double) {
        let span = Self.years * Self.yearMilliseconds
        times = (epochMilliseconds - span)...(epochMilliseconds + span)
    }

    func isPersonal(_ number: Double) -> Bool {
        guard number.isFinite, !times.contains(number) else { return false }
        if number.rounded() == number { return abs(number) >= Self.wholeMin }
        return (number * Self.decimalsFactor).rounded() != number * Self.decimalsFactor
    }

    mutating func collect(_ number: Double) { originals.insert(abs(number)) }

    mutating func assign() {
        let sorted = originals.sorted()
        var used: Set<Double> = []
        for (rank, number) in sorted.enumerated() {
            let share = Double(rank + 1) / Double(sorted.count + 1)
            let isWhole = number.rounded() == number
            let unit = pow(10, log10(number).rounded(.down))
            var pseudonym = isWhole ? (unit * (1 + 8 * share)).rounded() : number.rounded(.down) + share
            while isWhole, pseudonym < 1e15, originals.contains(pseudonym) || used.contains(pseudonym) {
                pseudonym += 1
            }
            used.insert(pseudonym)
            pseudonyms[number] = pseudonym
        }
    }

    subscript(number: Double) -> Double {
        let pseudonym = pseudonyms[abs(number)] ?? abs(number)
        return number < 0 ? -pseudonym : pseudonym
    }
}
