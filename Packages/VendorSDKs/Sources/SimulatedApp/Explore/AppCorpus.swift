import Foundation
import SansIO

/// The scenarios of earlier searches that reached something new, as files.
struct AppCorpus {
    /// A scenario with the seed that decides its network.
    struct Entry: Hashable {
        var scenario: AppScenario
        var seed: UInt64
    }

    private(set) var entries: [Entry] = []
    private let folder: String
    private var reached: Set<String> = []

    /// The entries in a folder, in the order of their names. A file that is no scenario is ignored.
    init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".txt") {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
            if let entry = Entry(text: String(decoding: data, as: UTF8.self)) { entries.append(entry) }
        }
    }

    /// Keeps a scenario that reached something new.
    ///
    /// - Returns: true if it was kept.
    @discardableResult
    mutating func add(_ scenario: AppScenario, seed: UInt64, reached: Set<String>) throws -> Bool {
        guard !reached.isSubset(of: self.reached) else { return false }
        self.reached.formUnion(reached)
        let entry = Entry(scenario: scenario, seed: seed)
        guard !entries.contains(entry) else { return false }
        entries.append(entry)
        let text = entry.text
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let name = String(hash, radix: 16)
        let path = "\(folder)/\(String(repeating: "0", count: 16 - name.count))\(name).txt"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return true
    }
}

extension AppCorpus.Entry {
    /// A line for the seed, one for a drawn order, and one for each step.
    var text: String {
        let head = ["seed \(seed)"] + (scenario.order == .drawn ? ["order drawn"] : [])
        return (head + scenario.steps.map(\.text)).joined(separator: "\n") + "\n"
    }

    /// Nil if a line is unknown.
    init?(text: String) {
        var lines = text.split(separator: "\n").map(String.init)
        guard let first = lines.first, first.hasPrefix("seed "), let seed = UInt64(first.dropFirst(5)) else {
            return nil
        }
        lines.removeFirst()
        let isDrawn = lines.first == "order drawn"
        if isDrawn { lines.removeFirst() }
        let steps = lines.compactMap(AppScenario.Step.init(text:))
        guard steps.count == lines.count else { return nil }
        self.init(scenario: AppScenario(steps, order: isDrawn ? .drawn : .fixed), seed: seed)
    }
}

extension AppScenario.Step {
    fileprivate var text: String {
        switch self {
        case .tap(let name): "tap \(name)"
        case .wait(let milliseconds): "wait \(milliseconds)"
        case .line(let line): "line \(line)"
        case .relaunch: "relaunch"
        case .networkDown: "network down"
        case .networkUp: "network up"
        case .networkSwitched: "network switched"
        }
    }

    fileprivate init?(text: String) {
        switch text {
        case "relaunch": self = .relaunch
        case "network down": self = .networkDown
        case "network up": self = .networkUp
        case "network switched": self = .networkSwitched
        default:
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "tap": self = .tap(parts[1])
            case "line": self = .line(parts[1])
            case "wait":
                guard let milliseconds = Int(parts[1]), milliseconds >= 0 else { return nil }
                self = .wait(milliseconds)
            default: return nil
            }
        }
    }
}
