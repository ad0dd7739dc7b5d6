import IMProtocol
import IMSession

/// The cause for which a login ended, failed or was interrupted.
package enum EndingCause: Hashable, Sendable {
    case network, server, sleep
    case otherLogin(Platform)
    case operatorKick, deviceKick, ban, removal, password, token
    /// The app made a call at a wrong time, or too often.
    case app
    /// The app uses a wrong App ID.
    case appID
    case unknown

    package var name: String {
        switch self {
        case .network: "network"
        case .server: "server"
        case .sleep: "sleep"
        case .otherLogin(let platform): "other-login:\(platform.name)"
        case .operatorKick: "kick-by-server"
        case .deviceKick: "kick-by-device"
        case .ban: "ban"
        case .removal: "removal"
        case .password: "password"
        case .token: "token"
        case .app: "app"
        case .appID: "app-id"
        case .unknown: "unknown"
        }
    }

    /// The name without the platform. Two causes of the same kind are not distinguished, because only NIM's logs show
    /// the platform.
    var kind: String { String(name.prefix { $0 != ":" }) }

    /// The cause for display.
    package var text: String {
        switch self {
        case .network: "the network"
        case .server: "the server"
        case .sleep: "the device slept"
        case .otherLogin(let platform): "another login of the account (\(platform.name))"
        case .operatorKick: "an operator ended the login"
        case .deviceKick: "another device of the account kicked this one"
        case .ban: "the account was banned"
        case .removal: "the account was removed"
        case .password: "the password was changed"
        case .token: "the token ended, was revoked or was wrong"
        case .app: "the app's own call"
        case .appID: "the app has a wrong App ID"
        case .unknown: "unknown"
        }
    }
}

/// A line at which a login ends, fails or is interrupted, with the cause in a candidate.
struct Ending: Sendable {
    var line: Int
    var cause: EndingCause
    /// The hidden event that is the cause; nil if the cause is not a hidden event.
    var event: HiddenEvent?
}

extension Candidate {
    /// The endings in a log. The cause of an ending is the last hidden event before it that can cause such an ending.
    func endings(_ app: ObservedApp, _ vendor: any VendorCauses) -> [Ending] {
        let lines = lines(of: app)
        let events = events
        var found: [Ending] = []
        for (index, line) in lines.enumerated() {
            let meaning = vendor.meaning(of: line)
            switch meaning {
            case .kicked:
                let (cause, event) = kick(events, line.time)
                found.append(Ending(line: index, cause: cause, event: event))
            case .tokenEnded: found.append(Ending(line: index, cause: .token))
            case .failed(.misuse): found.append(Ending(line: index, cause: .app))
            case .failed(.appID): found.append(Ending(line: index, cause: .appID))
            case .failed(let failure): found.append(Ending(line: index, cause: cause(of: failure, events, line.time)))
            case .lost where !isStateOnly(index, lines, vendor) && !isFirst(index, lines, vendor):
                found.append(Ending(line: index, cause: cause(of: .link, events, line.time)))
            default: continue
            }
        }
        return found
    }

    /// True for a lost connection of Agora Chat, if another callback at the same time reports the reason.
    private func isStateOnly(_ index: Int, _ lines: [AppLine], _ vendor: any VendorCauses) -> Bool {
        guard vendor.profile == "agora-chat" else { return false }
        return lines.contains {
            guard abs($0.time - lines[index].time) < 100 else { return false }
            return vendor.meaning(of: $0) == .kicked || vendor.meaning(of: $0) == .tokenEnded
        }
    }

    /// True for a line of Wilddog before the first connection. It reports that the client is not connected yet, not a
    /// loss.
    private func isFirst(_ index: Int, _ lines: [AppLine], _ vendor: any VendorCauses) -> Bool {
        guard vendor.profile == "wilddog" else { return false }
        let before = lines[..<index].last { $0.kind == .start || [.online, .lost].contains(vendor.meaning(of: $0)) }
        return before.map { $0.kind == .start || vendor.meaning(of: $0) == .lost } ?? true
    }

    private func kick(_ events: [HiddenEvent], _ time: Milliseconds) -> (EndingCause, HiddenEvent?) {
        for event in events.reversed() where event.time <= time + 1 {
            let cause: EndingCause? =
                switch event.action {
                case .login(_, let platform): .otherLogin(platform)
                case .serverKick: .operatorKick
                case .kick: .deviceKick
                case .ban: .ban
                case .removal: .removal
                case .password: .password
                case .revocation: .token
                default: nil
                }
            if let cause { return (cause, event) }
        }
        return (.unknown, nil)
    }

    private func cause(of failure: LineMeaning.Failure, _ events: [HiddenEvent], _ time: Milliseconds) -> EndingCause {
        for event in events.reversed() where event.time <= time + 1 {
            switch (failure, event.action) {
            case (.credential, .password): return .password
            case (.credential, .revocation): return .token
            case (.credential, .removal), (.refused, .removal): return .removal
            case (.refused, .ban): return .ban
            case (.taken, .login(_, let platform)): return .otherLogin(platform)
            case (.link, .net(.up)), (.link, .net(.clear)): continue
            case (.link, .net): return .network
            case (.link, .serverDown), (.link, .serverRestart): return .server
            case (.link, .sleep(let length)):
                if (-100...25_000).contains(time - event.time - length) { return .sleep }
            default: continue
            }
        }
        return failure == .credential ? .token : .unknown
    }
}
