import IMDialects
import IMScript
import IMSession
import Recorder
import SansIO

/// A condition on a session as what a scenario is kept for.
package struct KeptCondition {
    private let condition: SessionCondition

    /// - Throws: ``FilterError`` for what is no condition.
    package init(_ text: String) throws {
        condition = try SessionCondition(text)
    }

    /// A condition that holds where this one does not, for `check`.
    package var negated: String { condition.negated }

    /// Whether a scenario shows it: it is played, recorded in memory, and its events are counted.
    package func holds(for scenario: Scenario) -> Bool {
        (try? holds(in: ScenarioRecording.bytes(of: scenario, heals: false))) ?? false
    }

    /// Whether a recording shows it.
    package func holds(in bytes: [UInt8]) throws -> Bool {
        let reader = try SessionReader(bytes: bytes)
        let dialect = try reader.header.dialect()
        let scans = condition.filters.map { FilterScan($0, of: reader, dialect: dialect) }
        var counts = scans.map { _ in 0 }
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            for (place, scan) in scans.enumerated() {
                guard let event = scan.take(view), EventFormatter.isObservable(event) else { continue }
                counts[place] += 1
            }
        }
        return condition.holds(counts)
    }
}
