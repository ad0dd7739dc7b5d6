import IMProtocol
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

extension Simulation {
    /// Notes what an app did that it must not do.
    public func violated(_ rule: String, _ text: String, on device: String) {
        violations.append(AppViolation(rule: rule, text: text, time: time.now, device: device))
    }

    /// At the end of a test: nobody waits for a call that has not ended though nothing is left that could end it, and
    /// what the app shows is what the SDK knows.
    func checkAtRest() {
        for device in devices {
            guard let client = device.client else { continue }
            if client.openCalls > 0, world.nextMoment == nil {
                violated("C-1", "\(client.openCalls) calls wait for an end that cannot come", on: device.name)
            }
            if let shown = device.shown {
                let isOnline = client.state == .online || client.state == .reconnecting || client.state == .syncing
                // An automatic login that has no network yet may be shown as one, or not.
                if shown() != isOnline, shown() != client.isDataOpen {
                    violated(
                        "C-15",
                        "the app shows \(shown() ? "a login" : "no login"), and the SDK is \(client.state.name)",
                        on: device.name)
                }
            }
        }
    }
}
