import IMProtocol
import VirtualTime

extension Simulation {
    /// Records a violation of the app, in the session too.
    public func violated(_ rule: String, _ text: String, on device: String) {
        note("\(rule)\(device.isEmpty ? "" : " [\(device)]"): \(text)")
        violations.append(AppViolation(rule: rule, text: text, time: time.now, device: device, mark: lastEvent))
    }

    /// At the end of a test.
    func checkAtQuiescence() {
        do {
            try world.core.requireRecording()
        } catch {
            violated("C-16", error.description, on: "")
        }
        for device in devices {
            if let client = device.client { check(client, on: device) }
            device.dropped.removeAll { $0.object == nil }
            for thing in device.dropped {
                violated("C-4", "\(thing.name) is kept alive, though the app has let go of it", on: device.name)
            }
        }
    }

    /// After a logout that failed the user is still logged in, also while there is no network (CHAT-11).
    func checkFailedLogout(on device: SimulatedDevice, isBusy: Bool) {
        guard let client = device.client, client.hasFailedLogout, client.isOnline, !isBusy, device.shown?() == false
        else { return }
        client.hasFailedLogout = false
        violated(
            "C-15", "the app shows no login after a logout that failed: the SDK is \(client.state.name)",
            on: device.name)
    }

    private func check(_ client: SDKClient, on device: SimulatedDevice) {
        if client.openCalls > 0, world.nextEventTime == nil {
            violated("C-1", "\(client.openCalls) calls wait for an end that cannot come", on: device.name)
        }
        if let shown = device.shown {
            // An automatic login that has no network yet may be shown as a login or not.
            if shown() != client.isOnline, shown() != client.isDataOpen {
                violated(
                    "C-15",
                    "the app shows \(shown() ? "a login" : "no login"), and the SDK is \(client.state.name)",
                    on: device.name)
            }
        }
        for text in DelegateCheck.problems(of: client.delegateLists) { violated("C-4", text, on: device.name) }
        for text in client.leakedEntries { violated("C-4", text, on: device.name) }
        for call in device.calls where call.count != 1 {
            violated("C-1", "the end of '\(call.name)' was told \(call.count) times", on: device.name)
        }
    }
}
