import Foundation
import SansIO

extension Shell {
    package func timeline() throws {
        let log = log
        if output.form == .json {
            let wall = output.clock.wall
            let answer = try world.perform { core in
                try log.timeline.object(from: .zero, to: max(core.now, log.timeline.last), wall: wall)
            }
            return output.object(answer)
        }
        let drawing = try world.perform { [columns = output.columns, clock = output.clock] core in
            StateChart(
                lanes: log.timeline.lanes, ticks: log.timeline.ticks, now: max(core.now, log.timeline.last),
                columns: columns ?? StateChart.columnsDefault,
                isUnicode: columns != nil && StateChart.isUTF8, clock: clock)
        }
        guard !drawing.lanes.isEmpty else {
            return printResult("no client yet; 'client new phone --platform ios' creates one")
        }
        for line in drawing.lines {
            printed.append(line.map(\.text).joined())
            output.verbatim(line)
        }
    }
}

extension StateChart {
    /// The number of columns if the output is not a terminal.
    package static let columnsDefault = 80

    /// True if the user's locale indicates that the terminal supports UTF-8.
    package static var isUTF8: Bool {
        let environment = ProcessInfo.processInfo.environment
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let value = names.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return value.uppercased().replacing("-", with: "").hasSuffix("UTF8")
    }
}
