import IMProtocol
import SansIO

// Queries that the client answers from its own state.

extension ClientMachine {
    func answer(_ query: ClientQuery, at now: Instant) -> Completion {
        switch query {
        case .state: return Completion(.ok, rows: [AnswerRow(stateFields)])
        case .account:
            // The SDK reports its current account exactly while the user's local data is open (NIM-2).
            guard isDataOpen, let user else { return Completion(.notLoggedIn) }
            return Completion(.ok, rows: [AnswerRow([("account", user)])])
        case .devices:
            guard policy.features.contains(.deviceList) else { return Completion(.unsupported) }
            guard login != nil else { return Completion(.notLoggedIn) }
            return Completion(
                .ok,
                rows: otherDevices.map {
                    AnswerRow([("device", $0.id), ("platform", $0.platform.name), ("name", $0.name)])
                })
        case .config: return Completion(.ok, rows: [AnswerRow(configFields)])
        case .pending:
            return Completion(
                .ok,
                rows: timers.entries.map {
                    AnswerRow([("timer", $0.name.name), ("in-ms", String(($0.at - now).inMilliseconds))])
                } + tree.pendingRows)
        case .local:
            return Completion(
                .ok,
                rows: [
                    AnswerRow([
                        ("last-user", local.lastUser ?? "-"), ("credential", local.credentialReference),
                        ("last-result", local.lastResult?.name ?? "-"),
                        ("autologin", local.autologinAllowed ? "allowed" : "not-allowed"),
                        ("data", isDataOpen ? "open" : "closed"),
                    ])
                ])
        case .channels: return Completion(.ok, rows: subscriptions.channels.map { AnswerRow([("channel", $0)]) })
        case .selfIDs:
            guard policy.features.contains(.selfIDs) else { return Completion(.unsupported) }
            guard let user else { return Completion(.notLoggedIn) }
            return Completion(.ok, rows: otherDevices.map { AnswerRow([("id", "\(user)/\($0.id)")]) })
        case .items:
            guard policy.features.contains(.localData) else { return Completion(.unsupported) }
            guard isDataOpen else { return Completion(.notLoggedIn) }
            return Completion(
                .ok,
                rows: ownItems.map { AnswerRow([("kind", $0.kind.name), ("id", $0.id), ("text", $0.text)]) })
        case .listeners:
            guard policy.features.contains(.tree) else { return Completion(.unsupported) }
            return Completion(.ok, rows: tree.listenerRows)
        case .failed:
            return Completion(
                .ok, rows: messages.failed.map { AnswerRow([("id", $0.id), ("to", $0.to), ("text", $0.text)]) })
        }
    }

    private var stateFields: [(String, String)] {
        [
            ("state", state.name), ("user", user ?? "-"), ("device", device.id), ("platform", device.platform.name),
            ("link", link.map { "\($0.id.rawValue)\($0.isOpen ? "" : " (opening)")" } ?? "-"),
            ("epoch", String(login?.epoch ?? 0)), ("retries", String(login?.retryCount ?? 0)),
        ]
    }

    private var configFields: [(String, String)] {
        let delays = ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays
        return [
            ("profile", policy.profile), ("attempt-limit-ms", String(policy.attemptTimeLimit.inMilliseconds)),
            ("logout-limit-ms", String(policy.logoutTimeLimit.inMilliseconds)),
            ("heartbeat-ms", String(policy.heartbeatInterval.inMilliseconds)),
            ("heartbeat-answer-limit-ms", String(policy.heartbeatAnswerLimit.inMilliseconds)),
            ("interruption-grace-ms", String(policy.interruptionGrace.inMilliseconds)),
            ("reconnect-delay", delays.map { String($0.inMilliseconds) + "ms" }.joined(separator: ",")),
            ("maxAutoLoginRetryTimes", String(retryCountMax)),
        ]
    }
}
