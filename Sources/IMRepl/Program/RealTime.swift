import Foundation
import IMDebugger
import IMShell
import IMText
import SansIO

/// The minimum real time of a script in a live world.
struct RealTime {
    /// The maximum time that is not announced.
    private static let unannouncedMax = Interval.seconds(3)

    let minimum: Interval

    /// - Parameter timeScale: the speed of the world's clock; 2 is twice as fast.
    init(_ script: CheckedScript, timeScale: Double) {
        var nanoseconds = 0.0
        for statement in script.statements { nanoseconds += Double(Self.length(of: statement).nanoseconds) }
        minimum = Interval(nanoseconds: Int64(min(nanoseconds / timeScale, 9e18)))
    }

    /// The time that a line always takes: the duration of a `wait`, or of an `expect-none`. Zero for all other lines.
    private static func length(of statement: Statement) -> Interval {
        let words = statement.words.map { $0.literal ?? "" }
        switch words.first {
        case "wait": return words.dropFirst().first.flatMap(DurationText.interval) ?? .zero
        case "expect-none":
            guard let index = words.lastIndex(of: "for"), words.indices.contains(index + 1) else { return .zero }
            return DurationText.interval(words[index + 1]) ?? .zero
        default: return .zero
        }
    }

    /// Prints the minimum time, if it is long. Call it before the script starts.
    func announce(on output: any ShellOutput) {
        guard minimum > Self.unannouncedMax else { return }
        let seconds = (minimum.nanoseconds + 999_999_999) / 1_000_000_000
        output.error(
            "in real time this takes at least \(Interval.seconds(seconds).longText); --world simulated does not wait")
    }
}

extension Interval {
    /// The interval in hours, minutes and whole seconds: `1h 2m 3s`.
    var longText: String {
        let seconds = nanoseconds / 1_000_000_000
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        let texts = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
        return texts.isEmpty ? "0s" : texts.joined(separator: " ")
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
