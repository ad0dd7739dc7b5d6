import Foundation
import IMProfiles
import Recorder
import SansIO
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests with changed scripts, lines and filters. Each is parsed completely or refused, and a valid script can run.
@Suite struct ScriptFuzzTests {
    private static let sources: [[UInt8]] = SessionLibrary.scripts.compactMap { name in
        FileManager.default.contents(atPath: SessionLibrary.scriptPath(name)).map(Array.init)
    }

    @Test func everyScriptIsReadToItsEnd() {
        for seed in FuzzCases.seeds(300) {
            FuzzCases.attempt("scripts", seed: seed)
            var random = SeededRandom(seed: seed)
            let bytes = mutated(random.pick(Self.sources), &random)
            _ = try? ScriptFile.parse(bytes, named: "mutated", origin: .file, variables: [])
            _ = try? ReplayScript(bytes, named: "mutated")
        }
        FuzzCases.end()
    }

    /// A changed script that is still valid runs in the simulated world, and ends.
    @Test func everyScriptThatCanBeReadEnds() {
        for seed in FuzzCases.seeds(10) {
            FuzzCases.attempt("played scripts", seed: seed)
            var random = SeededRandom(seed: seed)
            var lines = String(decoding: random.pick(Self.sources), as: UTF8.self).split(separator: "\n").map(
                String.init)
            for _ in 0...random.below(4) { changeWords(&lines, &random) }
            // Years of heartbeats would end, but take too long for a test.
            let isShort = lines.allSatisfy { !$0.contains("wait") && !$0.contains("within") || !$0.contains("00h") }
            guard isShort, let test = try? ScriptTest(lines.joined(separator: "\n"), named: "mutated") else {
                continue
            }
            _ = try? test.failure()
        }
        FuzzCases.end()
    }

    @Test func everyFilterIsReadToItsEnd() throws {
        let words = [
            "kind", "==", "!=", "<", ">=", "=~", "in", "not", "and", "or", "(", ")", "{", "}", ",", "t", "n", "text",
            "node", "in-state", "callback", "fields.", "user", "1s", "-5", "99999999999999999999", "1e999", "nan",
            "\"a\"", "\"", "[", "(?", "a*", "(a+)+", "kick", "dir", "\u{202E}", "\u{301}", "名前", "\\",
        ]
        let formatter = EventFormatter(dialect: NIMDialect())
        let event = SessionEvent(
            number: .max, time: Instant(nanoseconds: .min), node: "phone",
            content: .effect(.notify(.tokenWillExpire(inMilliseconds: .min))))
        for seed in FuzzCases.seeds(1000) {
            FuzzCases.attempt("filters", seed: seed)
            var random = SeededRandom(seed: seed)
            let source = (0...random.below(9)).map { _ in random.pick(words) }.joined(
                separator: random.isOne(in: 4) ? "" : " ")
            guard let filter = try? Filter(parsing: source) else { continue }
            _ = filter.matches(
                EventFields(event, formatted: formatter.format(event), formatter: formatter, inState: "online"))
        }
        FuzzCases.end()
    }

    /// Durations and times in the forms that users type, with extreme numbers.
    @Test func everyTypedNumberIsReadOrRefused() {
        var arguments: [String] = []
        for number in Extremes.integers {
            for text in ["\(number)", "-\(number)", "\(number).\(number)", "0.\(number)", "\(number)\(number)"] {
                for unit in ["", "ns", "us", "ms", "s", "m", "h", "%", "h\(number)s"] {
                    let word = text + unit
                    if let interval = DurationText.signedInterval(word) {
                        #expect(DurationText.signedInterval(interval.text) == interval)
                        _ = interval.offsetText
                    }
                    _ = EpochText.nanoseconds(word)
                    _ = TimeScale.factor(word)
                    _ = try? ReplayPosition(word)
                    _ = KeyValue("a=\(word)")?.number
                    if unit == "ms" || unit == "%" { arguments.append(word) }
                }
            }
        }
        let lines = ["wait", "net delay", "net loss", "app sleep", "clock skew", "net drop send --count", "exit"]
        let script = arguments.flatMap { word in lines.map { "\($0) \(word)" } }
        _ = try? ScriptTest("#! imrepl script 1\n# profile: nim\n\(script.joined(separator: "\n"))", named: "a")
    }

    // MARK: Changes

    private func mutated(_ source: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = source
        for _ in 0...random.below(5) {
            let offset = Int(random.below(UInt64(bytes.count + 1)))
            switch random.below(6) {
            case 0 where offset < bytes.count: bytes[offset] = UInt8(random.below(256))
            case 1 where offset < bytes.count:
                bytes.removeSubrange(offset..<min(bytes.count, offset + Int(random.below(20))))
            case 2: bytes.insert(contentsOf: random.pick(Extremes.texts).utf8, at: offset)
            case 3: bytes.insert(contentsOf: String(random.pick(Extremes.integers)).utf8, at: offset)
            case 4: bytes.insert(contentsOf: random.pick(Self.sources).prefix(Int(random.below(400))), at: offset)
            default:
                let end = min(bytes.count, offset + Int(random.below(60)))
                bytes.insert(contentsOf: bytes[offset..<end], at: Int(random.below(UInt64(bytes.count + 1))))
            }
        }
        return bytes
    }

    private func changeWords(_ lines: inout [String], _ random: inout SeededRandom) {
        guard !lines.isEmpty else { return }
        let lineIndex = Int(random.below(UInt64(lines.count)))
        switch random.below(4) {
        case 0: lines.remove(at: lineIndex)
        case 1: lines.insert(random.pick(lines), at: lineIndex)
        default:
            var words = lines[lineIndex].split(separator: " ").map(String.init)
            guard !words.isEmpty else { return }
            let word = Int(random.below(UInt64(words.count)))
            words[word] = random.isOne(in: 2) ? random.pick(Extremes.texts).quotedIfNeeded : "\(random.below(100))s"
            lines[lineIndex] = words.joined(separator: " ")
        }
    }
}
