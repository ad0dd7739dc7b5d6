import Foundation
import IMExplorer
import IMExport
import IMScript
import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO

// `imrepl odds`: from each place of a recording, how likely something still was.

extension Program {
    func odds(_ request: OddsRequest) async throws -> Outcome {
        try await onOwnThread { try OddsRun(request).run() }
    }
}

private struct OddsRun {
    let request: OddsRequest
    let output = TerminalOutput(colour: false)

    init(_ request: OddsRequest) { self.request = request }

    func run() throws -> Outcome {
        let condition: KeptCondition
        do {
            condition = try KeptCondition(request.condition)
        } catch let error as FilterError {
            throw ShellError(message: error.text, reason: .usage)
        }
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let decoded = try DecodedSession(RecordingFiles.open(path))
        let finder: OddsFinder
        do {
            finder = try OddsFinder(decoded, timingPerMille: UInt64(request.timing)) {
                condition.holds(for: $0, drawingAnew: $1)
            }
        } catch let error as WorldError {
            throw ShellError(message: "\(path): \(error)", reason: .usage)
        }
        let lines = EventLines(decoded.header.profile)
        let bar = request.asJSON ? nil : ProgressBar.onTerminal(total: 60)
        let odds = finder.find(runs: request.runs, words: { lines.words($0) }) { done, count in
            bar?.show(done: done * 60 / max(1, count), part: 0)
            return true
        }
        bar?.clear()
        if request.asJSON { odds.places.forEach { output.verbatim(json($0)) } } else { tell(odds) }
        if let report = request.report {
            let page = OddsPage(odds, title: "\((path as NSString).lastPathComponent): \(request.condition)").html()
            guard FileManager.default.createFile(atPath: report, contents: Data(page.utf8)) else {
                throw ShellError.unwritable(report)
            }
        }
        return .ok
    }

    private func tell(_ odds: Odds) {
        output.line(Self.curve(odds))
        for place in odds.places {
            let share = String(format: "%3d %%", place.count * 100 / max(1, odds.runs))
            let bar = String(repeating: "█", count: place.count * 20 / max(1, odds.runs))
            let head =
                place.number == 0 ? "" : "#\(place.number) \(Interval(nanoseconds: place.time.nanoseconds).text) "
            output.line("\(share) \(bar.padding(toLength: 20, withPad: " ", startingAt: 0))  \(head)\(place.words)")
        }
        guard let certain = odds.certainFrom else { return output.line("it is certain from nowhere on") }
        output.line(
            certain.number == 0
                ? "it is certain from the beginning on: chance has no part in it"
                : "it is certain from #\(certain.number) on: \(certain.words)")
    }

    /// One character a place.
    private static func curve(_ odds: Odds) -> String {
        let levels = Array("▁▂▃▄▅▆▇█")
        return String(odds.places.map { levels[$0.count * (levels.count - 1) / max(1, odds.runs)] })
    }

    private func json(_ place: Odds.Place) -> String {
        "{\"n\":\(place.number),\"t\":\(Double(place.time.nanoseconds) / 1e9),"
            + "\"node\":\(JSONText.quoted(place.node)),\"text\":\(JSONText.quoted(place.words)),"
            + "\"count\":\(place.count),\"runs\":\(request.runs)}"
    }
}
