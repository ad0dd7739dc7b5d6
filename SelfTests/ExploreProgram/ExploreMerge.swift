import Foundation
import IMExplorer
import IMShell

/// The last line of `imrepl-explore --json`: the findings, and the searches to which they belong.
struct ReportLine: Codable {
    var kind = "report"
    /// The parts in the report, sorted and without duplicates.
    var parts: [SearchPart]
    var report: ExploreReport

    init(_ parts: [SearchPart], _ report: ExploreReport) {
        (self.parts, self.report) = (parts.sorted(), report)
    }

    init(contentsOf path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ShellError(message: "'\(path)' cannot be read", reason: .environment)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        guard let last = lines.last, let line = try? JSONDecoder().decode(ReportLine.self, from: Data(last)),
            line.kind == "report", line.parts.allSatisfy(\.isPossible)
        else {
            throw ShellError(
                message: "'\(path)' is not a report of 'imrepl-explore --json': its last line is not a report",
                reason: .unreadable)
        }
        self = line
    }
}

/// Merges reports, and checks that no part is missing or given twice.
///
/// If a part is missing, the other parts are merged nevertheless. The result lists its parts, so that the missing part
/// can be merged later.
struct ExploreMerge {
    private(set) var report = ExploreReport()
    private(set) var parts: [SearchPart] = []
    /// The parts that are missing or were given twice; nil if there are none.
    private(set) var mergeError: String?
    private var reportPaths: [SearchPart: String] = [:]
    private var mergeErrors: [String] = []
    private static let shownMax = 4

    /// - Throws: ``ShellError`` for a file that is not a report, and for two reports that contain the same seeds.
    init(_ paths: [String]) throws {
        for path in paths { try take(path) }
        try close()
        if !mergeErrors.isEmpty { mergeError = mergeErrors.joined(separator: "; ") }
    }

    private mutating func take(_ path: String) throws {
        let line = try ReportLine(contentsOf: path)
        let known = line.parts.compactMap { part in reportPaths[part].map { (part, $0) } }
        if let (part, other) = known.first {
            guard known.count == line.parts.count else {
                throw ShellError(
                    message: "\(part.summary) is in '\(other)' and, with others, in '\(path)': omit one of them",
                    reason: .usage)
            }
            // A part that is given twice is only counted once.
            mergeErrors.append("\(part.summary) is given twice: '\(other)' and '\(path)'")
            return
        }
        for part in line.parts {
            // Two parts of the same search contain different seeds only if the search has the same number of parts in
            // both.
            for other in parts where part.overlaps(other) && (part.whole != other.whole || part.of != other.of) {
                throw Self.counted(part, other)
            }
        }
        line.parts.forEach { reportPaths[$0] = path }
        parts += line.parts
        report.merge(line.report)
    }

    private static func counted(_ part: SearchPart, _ other: SearchPart) -> ShellError {
        ShellError(
            message:
                "\(min(part, other).summary) and \(max(part, other).summary) contain the same seeds: omit one of them",
            reason: .usage)
    }

    /// If all parts of a search are present, the result names the whole search instead.
    private mutating func close() throws {
        var wholes: [SearchPart] = []
        for (whole, group) in Dictionary(grouping: parts, by: \.whole).sorted(by: { $0.key < $1.key }) {
            let missing = group[0].missing(besides: Set(group.compactMap(\.part)), shown: Self.shownMax)
            guard missing.count > 0, let of = group[0].of else {
                wholes.append(whole)
                continue
            }
            wholes += group
            var names = missing.numbers.map { "\($0)/\(of)" }
            let more = missing.count - UInt64(names.count)
            if more > 0 { names.append("\(more) more") }
            let last = names.removeLast()
            mergeErrors.append(
                names.isEmpty
                    ? "part \(last) of \(whole.summary) is missing"
                    : "parts \(names.joined(separator: ", ")) and \(last) of \(whole.summary) are missing")
        }
        parts = wholes.sorted()
    }
}
