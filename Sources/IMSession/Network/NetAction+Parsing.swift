import SansIO

extension NetAction {
    /// Reads the text that ``command`` writes; nil for any other text.
    public init?(command: String) {
        let words = command.split(separator: " ").map(String.init)
        guard words.count >= 2, words[0] == "net" else { return nil }
        func option(_ name: String) -> String? {
            words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        switch words[1] {
        case "down": self = .down
        case "up": self = .up
        case "switch": self = .switchNetwork
        case "half-open": self = .halfOpen
        case "reset": self = .reset
        case "release": self = .release
        case "clear": self = .clear
        case "delay":
            guard let delay = Self.milliseconds(words.dropFirst(2).first) else { return nil }
            self = .delay(delay, jitter: Self.milliseconds(option("--jitter")) ?? .zero)
        case "loss":
            guard let text = words.dropFirst(2).first, let percent = Double(text.dropLast()),
                (0...100).contains(percent)
            else { return nil }
            self = .loss(UInt64((percent * 10_000).rounded()))
        default:
            // The name of a frame, or `*`. It contains no spaces and no control characters.
            guard words.count > 2, let verb = FrameAction(rawValue: words[1]),
                words[2].utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
            else { return nil }
            let direction: LinkDirection? = option("--dir").map { $0 == "out" ? .toServer : .toClient }
            let count = option("--count").flatMap { UInt32($0) }
            self = .rule(FrameRule(verb, frame: words[2], direction: direction, count: count))
        }
    }

    /// Reads a time such as `800ms`; nil for any other text.
    public static func milliseconds(_ text: String?) -> Interval? {
        guard let text, text.hasSuffix("ms"), let count = Int64(text.dropLast(2)),
            count.magnitude < UInt64(Int64.max / 1_000_000)
        else { return nil }
        return .milliseconds(count)
    }
}
