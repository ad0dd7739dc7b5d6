import IMExport
import IMText

/// The results of a load, so far or at the end.
struct LoadReport: Equatable, Sendable {
    var clients = 0
    var connect = LatencyHistogram()
    var login = LatencyHistogram()
    /// The times from sending a message to the server's acknowledgement.
    var acknowledge = LatencyHistogram()
    /// The times from sending a message to its arrival at the receiver.
    var deliver = LatencyHistogram()
    var sent = 0
    /// The number of messages that were not sent because too many messages had no answer yet.
    var heldBack = 0
    /// The time for which messages were sent, in seconds.
    var seconds = 0.0
    /// The texts of errors, with their counts.
    var errors: [String: Int] = [:]

    /// The maximum number of distinct errors.
    private static let errorKindsMax = 32

    mutating func note(_ error: String) {
        let isKnown = errors[error] != nil || errors.count < Self.errorKindsMax
        errors[isKnown ? error : "others", default: 0] += 1
    }

    /// True if no client could connect.
    var reachedNobody: Bool { connect.count == 0 }
    var isWhole: Bool {
        errors.isEmpty && connect.count == clients && login.count == clients && acknowledge.count == sent
    }

    /// The lines for text output.
    var lines: [String] {
        var lines = [
            "connected     \(connect.count) of \(clients)\(Self.text(connect))",
            "logged in     \(login.count) of \(clients)\(Self.text(login))",
        ]
        if sent > 0 || heldBack > 0 {
            let rate = seconds > 0 ? ", \(Self.decimal(Double(sent) / seconds)) a second" : ""
            lines.append("sent          \(sent)\(rate)")
            lines.append("acknowledged  \(acknowledge.count) of \(sent)\(Self.text(acknowledge))")
            lines.append("delivered     \(deliver.count) of \(sent)\(Self.text(deliver))")
        }
        if heldBack > 0 { lines.append("held back     \(heldBack): the server was too slow") }
        for (error, count) in sortedErrors { lines.append("error         \(count) × \(error)") }
        return lines
    }

    private var sortedErrors: [(key: String, value: Int)] {
        errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    /// One object of NDJSON. Times are in milliseconds.
    func json(kind: String, atSecond second: Double) -> String {
        var fields = [
            "\"kind\":\(JSONText.quoted(kind))", "\"second\":\(Self.decimal(second))", "\"clients\":\(clients)",
        ]
        for (name, histogram) in [
            ("connect", connect), ("login", login), ("acknowledge", acknowledge), ("deliver", deliver),
        ] { fields.append("\"\(name)\":\(Self.json(histogram))") }
        fields += ["\"sent\":\(sent)", "\"heldBack\":\(heldBack)"]
        let errors = sortedErrors.map { "\(JSONText.quoted($0.key)):\($0.value)" }.joined(separator: ",")
        fields.append("\"errors\":{\(errors)}")
        return "{\(fields.joined(separator: ","))}"
    }

    private static func json(_ histogram: LatencyHistogram) -> String {
        var fields = ["\"count\":\(histogram.count)"]
        for (name, percent) in [("p50", 50.0), ("p99", 99.0)] {
            if let value = histogram.percentile(percent) { fields.append("\"\(name)\":\(milliseconds(value))") }
        }
        if histogram.count > 0 { fields.append("\"max\":\(milliseconds(histogram.maxMicroseconds))") }
        return "{\(fields.joined(separator: ","))}"
    }

    private static func text(_ histogram: LatencyHistogram) -> String {
        guard let p50 = histogram.percentile(50), let p99 = histogram.percentile(99) else { return "" }
        return ", p50 \(milliseconds(p50)) ms, p99 \(milliseconds(p99)) ms, max "
            + "\(milliseconds(histogram.maxMicroseconds)) ms"
    }

    /// Microseconds as milliseconds with two decimals.
    static func milliseconds(_ microseconds: Int64) -> String {
        let hundredths = (microseconds + 5) / 10
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
