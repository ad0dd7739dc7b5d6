import Foundation
import IMDebugger
import IMExport
import IMSession
import IMShell
import IMSimulation
import IMText
import Recorder
import SansIO

// `imrepl odds`: the number of runs from each event of a recording in which a condition occurs.

extension Program {
    func odds(_ request: OddsRequest) async throws -> Outcome {
        try await onOwnThread { try OddsRun(request).run() }
    }
}

private struct OddsRun {
    let request: OddsRequest
    let output = TerminalOutput(colour: false)

    init(_ request: OddsRequest) { self.request = request }

    /// Prints a line. If the page goes to the standard output, lines go to the standard error.
    private func show(_ line: String) {
        if request.report.map(OutputFile.isStandardOutput) == true { output.error(line) } else { output.line(line) }
    }

    func run() throws -> Outcome {
        let condition = try ShellError.reportingFilter { try ShrinkCondition(request.condition) }
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let decoded = try RecordingFiles.read(path) { try DecodedSession($0) }
        let finder: OddsFinder
        do {
            finder = try OddsFinder(decoded, timingPerMille: UInt64(request.timing)) {
                condition.run($0, reseededBy: $1)
            }
        } catch let error as WorldError {
            throw ShellError(message: "\(path): \(error)", reason: .usage)
        }
        let lines = EventLineFormatter(decoded.header.profile)
        let bar = request.asJSON ? nil : ProgressBar.onTerminal(total: 60)
        let odds = finder.find(runs: request.runs, words: { lines.text(ofRecorded: $0) }) { done, count in
            bar?.show(done: done * 60 / max(1, count), part: 0)
            return true
        }
        bar?.clear()
        if request.asJSON { odds.points.forEach { output.verbatim(json($0, odds)) } } else { printOdds(odds) }
        if let report = request.report {
            let page = OddsPage(odds, title: "\((path as NSString).lastPathComponent): \(request.condition)").html()
            try OutputFile.write(page.utf8, to: report, overwrites: true)
        }
        return .ok
    }

    private func printOdds(_ odds: Odds) {
        show(Self.curve(odds))
        let width = odds.points.map { odds.text($0).count }.max() ?? 0
        for point in odds.points {
            let bar = String(repeating: "█", count: point.count * 20 / max(1, odds.runs))
            let head =
                point.number == 0 ? "" : "#\(point.number) \(Interval(nanoseconds: point.time.nanoseconds).text) "
            show(
                "\(odds.text(point).padding(toLength: width, withPad: " ", startingAt: 0))  "
                    + "\(bar.padding(toLength: 20, withPad: " ", startingAt: 0))  \(head)\(point.words)")
        }
        for line in odds.summary { show(line) }
    }

    /// The probabilities as a line with one character for each event.
    private static func curve(_ odds: Odds) -> String {
        let levels = Array("▁▂▃▄▅▆▇█")
        return String(odds.points.map { levels[$0.count * (levels.count - 1) / max(1, odds.runs)] })
    }

    private func json(_ point: Odds.EventOdds, _ odds: Odds) -> String {
        let (low, high) = odds.interval(point)
        return "{\"n\":\(point.number),\"t\":\(Double(point.time.nanoseconds) / 1e9),"
            + "\"node\":\(JSONText.quoted(point.node)),\"text\":\(JSONText.quoted(point.words)),"
            + "\"count\":\(point.count),\"runs\":\(request.runs),\"courses\":\(point.courses),"
            + String(format: "\"low\":%.1f,\"high\":%.1f}", low, high)
    }
}
