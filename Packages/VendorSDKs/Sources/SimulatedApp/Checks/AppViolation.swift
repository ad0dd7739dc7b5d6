import VirtualTime

/// An app's violation of a rule.
public struct AppViolation: Hashable, Sendable, CustomStringConvertible {
    /// The rule's id, such as `C-1`.
    public var rule: String
    /// The violation, in one line.
    public var text: String
    /// The time, in nanoseconds since the start.
    public var time: UInt64
    /// The device; empty if it concerns none.
    public var device: String
    /// The number of its mark in the session. Nil if the session has none.
    public var mark: UInt64?

    /// The rule, the device, the time and the violation.
    public var description: String {
        "\(rule)\(device.isEmpty ? "" : " [\(device)]") at \(Double(time) / 1e9) s: \(text)"
    }
}

extension AppViolation {
    /// A finding of virtual time. Nil if it only concerns the test's own code.
    init?(_ finding: Finding) {
        guard finding.process != nil else { return nil }
        self.init(rule: "C-1", text: "\(finding.kind.rawValue): \(finding.text)", time: finding.time, device: "")
    }
}
