/// For a log without an explanation: the first line that the best candidate does not explain.
package struct NearestMiss: Sendable {
    /// The number of the first line without an explanation.
    package var line: Int
    package var stamp: String
    package var text: String
    /// The number of explained lines before that line.
    package var explainedCount: Int
    package var lineCount: Int
    /// The next line of the simulation at the time of the line; nil for none.
    package var simulatedInstead: String?
    /// The difference in time, if the simulation has the line at another time; nil if it does not have the line.
    package var timeDifference: Milliseconds?
    /// An earlier line of the simulation that the log lacks, although the log is complete; nil for none.
    package var missingLine: String?
    /// A field of the line, and the value with which the line would be explained.
    package struct OtherField: Sendable {
        package var name: String
        package var value: String
    }

    /// The fields that prevent an explanation of the line. A change of one of them is sufficient.
    package var otherFields: [OtherField] = []
    /// The script that plays the best candidate up to the line.
    package var script: String

    init(_ run: CandidateRun, _ app: ObservedApp, _ vendor: any VendorCauses) {
        let index = min(run.match.mismatch ?? 0, app.lines.count - 1)
        let line = run.match.observed[index]
        self.line = line.number
        stamp = line.stamp
        text = line.text
        explainedCount = index
        lineCount = app.lines.count
        let unmatched = run.match.simulated.enumerated().filter { !run.match.isMatched($0.offset) }.map(\.element)
        simulatedInstead = unmatched.first { $0.time >= line.time - app.slack }?.text
        missingLine =
            app.isComplete && run.match.isSurplus
            ? unmatched.first { $0.kind == .callback || $0.kind == .result }?.text : nil
        let differences = unmatched.filter { $0.fits(line) }.map { $0.time - line.time }
        timeDifference = app.hasTimes ? differences.min { abs($0) < abs($1) } : nil
        script = CandidateScript(run, app).text
    }
}
