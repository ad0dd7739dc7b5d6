import VirtualTime

/// Something that an app did and must not do, with the rule that says so.
public struct AppViolation: Hashable, Sendable, CustomStringConvertible {
    /// The rule's id, such as `C-1`.
    public var rule: String
    /// What is wrong, in one line.
    public var text: String
    /// When, in nanoseconds since the beginning.
    public var time: UInt64
    /// The device; empty where it is nobody's.
    public var device: String

    /// The rule, the device, the time and what is wrong.
    public var description: String {
        "\(rule)\(device.isEmpty ? "" : " [\(device)]") at \(Double(time) / 1e9) s: \(text)"
    }
}

extension AppViolation {
    /// What virtual time found; nil for what only concerns the test's own code.
    init?(_ finding: Finding) {
        guard finding.process != nil else { return nil }
        self.init(rule: "C-1", text: "\(finding.kind.rawValue): \(finding.text)", time: finding.time, device: "")
    }
}
