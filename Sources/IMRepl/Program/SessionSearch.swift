import Foundation
import IMDebugger
import IMProfiles
import IMShell
import Recorder
import SansIO

/// `sessions search`: the recordings with events that match a filter, the number of matches, and the first one.
struct SessionSearch {
    let filter: Filter
    /// `filter`, parsed for recordings that contain only a server.
    let serverFilter: Filter
    let printResult: (String) -> Void
    let warn: (String) -> Void
    /// Receives results as rows, for programs; nil for text output.
    var row: (([(name: String, value: AnswerValue)]) -> Void)?

    /// The matches in one recording.
    struct Matches: Equatable {
        var count: UInt64 = 0
        /// The first matching event, as `show` prints it without colours.
        var first: String?
        /// The error at which the recording became unreadable. The matches are from the part before it.
        var damage: SessionError?
    }

    /// The number of events between two updates of the progress bar.
    private static let stride: UInt64 = 8192

    /// - Returns: true if every file could be read.
    func run(over paths: [String], progress: ProgressBar) -> Bool {
        var foundCount = 0
        var eventCount: UInt64 = 0
        var areAllReadable = true
        for (index, path) in paths.enumerated() {
            progress.show(done: index)
            do {
                guard let found = try search(path, { progress.show(done: index, part: $0) }) else { continue }
                progress.clear()
                if found.damage == nil || found.count > 0 {
                    foundCount += 1
                    eventCount += found.count
                    if let row {
                        row([
                            ("file", .text(path)), ("events", .number(Int(found.count))),
                            ("first", .text(found.first ?? "")),
                        ])
                    } else {
                        printResult(Self.line(path, found))
                    }
                }
                if let damage = found.damage {
                    areAllReadable = false
                    warn("\(path): \(damage)")
                }
            } catch {
                progress.clear()
                areAllReadable = false
                warn("\(error)")
            }
        }
        progress.clear()
        let events = filter.isAboutSessions ? "" : ", \(eventCount) event\(eventCount == 1 ? "" : "s")"
        printResult("\(foundCount) of \(paths.count) recording\(paths.count == 1 ? "" : "s")\(events)")
        return areAllReadable
    }

    private static func line(_ path: String, _ found: Matches) -> String {
        guard let first = found.first else { return path }
        return "\(path)  \(found.count) event\(found.count == 1 ? "" : "s"), first:\n  \(first)"
    }

    /// - Returns: nil if nothing matches.
    private func search(_ path: String, _ part: (Double) -> Void) throws -> Matches? {
        let reader = try RecordingFiles.open(path)
        let filter = reader.isOfServerAlone ? serverFilter : filter
        let dialect = try reader.printedDialect(path)
        return try ShellError.reportingDamage(of: path) {
            let session = try SessionFields(reader, for: filter)
            guard filter.mayHold(in: session) else { return nil }
            if filter.isAboutSessions { return Matches() }
            let found = count(filter, reader, dialect, session, part)
            return found.count == 0 && found.damage == nil ? nil : found
        }
    }

    private func count(
        _ filter: Filter, _ reader: SessionReader, _ dialect: any Dialect, _ session: SessionFields,
        _ part: (Double) -> Void
    ) -> Matches {
        let scan = FilterScan(filter, of: reader, dialect: dialect, session: session)
        let scanner = reader.makeScanner()
        var found = Matches()
        do throws(SessionError) {
            while let view = try scanner.next() {
                if view.number % Self.stride == 0 { part(Double(view.number) / Double(max(reader.eventCount, 1))) }
                guard let event = scan.take(view) else { continue }
                found.count += 1
                guard found.first == nil else { continue }
                let parts = EventText.parts(event, scan.formatter.text(of: event), columns: nil)
                found.first = parts.head + parts.text
            }
        } catch {
            found.damage = error
        }
        return found
    }
}
