import IMClient
import IMProfiles
import IMProtocol
import IMServer

/// The rules that decided an outcome, and the policy values on which the decision depended.
public struct DecidingRule: Equatable, Sendable {
    /// The ids of the rules, most specific first: rules of the system's own documents, then rules that all systems
    /// share.
    public var ids: [String]
    /// The policy values on which the decision depended, such as `exclusion=single`.
    public var values: [String] = []

    init(_ ids: String..., values: [String] = []) {
        self.ids = ids
        self.values = values
    }

    /// The ids, the values and the text of the first rule: `NIM-11, exclusion=mobile-desktop: Phones exclude phones, …`
    public var text: String {
        let head = (ids + values).joined(separator: ", ")
        return ids.first.flatMap { RuleCatalogue.rule($0)?.text }.map { "\(head): \($0)" } ?? head
    }
}

extension RuleCatalogue {
    package static func rule(_ id: String) -> Rule? { rules.first { $0.id.lowercased() == id.lowercased() } }
}

/// Finds the rule that decided an outcome, for one profile.
struct RuleFinder: Sendable {
    let profile: String
    private let version: String

    /// - Parameter profile: the name of a profile, or of a version of its SDK, such as `agora-rtm@2`.
    init(profile: String) {
        self.profile = ProfileVersion.base(of: profile)
        version = profile
    }

    /// Returns the argument that belongs to the profile.
    func choose<Value>(nim: Value, zim: Value, chat: Value, rtm: Value, other: Value) -> Value {
        switch profile {
        case "nim": nim
        case "zim": zim
        case "agora-chat": chat
        case "agora-rtm": rtm
        default: other
        }
    }

    // MARK: Kicks

    /// - Parameters:
    ///   - mode: the mode of the login that caused the kick; nil if no login caused it.
    ///   - isOwnDevice: true if the login that caused the kick came from another process of the same installation.
    ///   - policy: the server's policy at the time of the kick; nil if it is not known.
    func rule(
        of reason: KickReason, by mode: LoginMode?, isOwnDevice: Bool = false, _ policy: ServerPolicy?
    ) -> DecidingRule {
        switch reason {
        case .otherLogin where isOwnDevice && profile != "agora-rtm": return DecidingRule("C-6")
        case .otherLogin: return exclusion(mode, policy)
        case .server:
            return DecidingRule(choose(nim: "NIM-12", zim: "ZIM-4", chat: "CHAT-10", rtm: "RTM-1", other: "C-5"))
        case .otherDevice:
            return DecidingRule(choose(nim: "NIM-12", zim: "ZIM-4", chat: "CHAT-6", rtm: "RTM-6", other: "C-5"))
        case .banned, .accountRemoved, .passwordChanged:
            return DecidingRule(choose(nim: "NIM-7", zim: "ZIM-4", chat: "CHAT-10", rtm: "RTM-1", other: "C-5"))
        }
    }

    private func exclusion(_ mode: LoginMode?, _ policy: ServerPolicy?) -> DecidingRule {
        if mode == .forced, profile == "nim" { return DecidingRule("NIM-4") }
        if mode == .resume || mode == .offline {
            let value = policy.map { ["taken-place=\($0.takenPlace.rawValue)"] } ?? []
            return DecidingRule(profile == "agora-chat" ? "CHAT-3" : "C-6", values: value)
        }
        var values = policy.map { ["exclusion=\($0.exclusion.rawValue)"] } ?? []
        if let policy, policy.exclusion == .perPlatform || policy.exclusion == .unlimited {
            values.append("device-count-max=\(policy.deviceCountMax)")
        }
        return DecidingRule(
            choose(nim: "NIM-11", zim: "ZIM-7", chat: "CHAT-2", rtm: "RTM-6", other: "C-5"), values: values)
    }

    // MARK: States

    /// Returns the rule that explains a state change without a kick. Nil if no rule adds anything to the reason that
    /// the change itself contains.
    ///
    /// - Parameter timer: the timer that caused the change; nil for none.
    func rule(of change: StateChange, timer: NodeTimer?) -> DecidingRule? {
        if timer == .client(.heartbeatAnswer) { return DecidingRule("C-12") }
        let interruption = version == "agora-rtm@2" ? "RTM-10" : "RTM-3"
        switch change.reason {
        case .interrupted:
            return DecidingRule(choose(nim: "NIM-9", zim: "ZIM-4", chat: "CHAT-1", rtm: interruption, other: "SYNC-10"))
        case .retrying:
            return DecidingRule(choose(nim: "NIM-5", zim: "C-9", chat: "C-9", rtm: interruption, other: "C-9"))
        case .logout: return DecidingRule("C-4")
        case .loginTimedOut:
            return DecidingRule(choose(nim: "NIM-7", zim: "ZIM-4", chat: "C-11", rtm: "RTM-2", other: "C-11"))
        case .tokenExpired:
            return DecidingRule(choose(nim: "C-10", zim: "ZIM-6", chat: "CHAT-10", rtm: "RTM-5", other: "C-10"))
        case .syncFinished:
            return DecidingRule(choose(nim: "NIM-14", zim: "C-13", chat: "CHAT-12", rtm: "C-15", other: "C-15"))
        case .loginSucceeded:
            return DecidingRule(choose(nim: "NIM-1", zim: "ZIM-4", chat: "CHAT-1", rtm: "RTM-1", other: "SYNC-1"))
        case .login: return DecidingRule("C-2")
        case .wentOffline: return profile == "wilddog" ? DecidingRule("SYNC-8") : nil
        case .loginFailed:
            return DecidingRule(choose(nim: "NIM-5", zim: "ZIM-4", chat: "C-11", rtm: "RTM-2", other: "C-11"))
        case .credentialRefused:
            return DecidingRule(choose(nim: "NIM-7", zim: "ZIM-4", chat: "CHAT-10", rtm: "RTM-2", other: "C-11"))
        case .remoteLogin, .kickedByServer, .kickedByOtherDevice, .banned, .accountRemoved,
            .passwordChanged:
            return nil
        }
    }

    /// The rule of a server timer that fired; nil if no rule applies.
    func rule(of timer: ServerTimer, _ policy: ServerPolicy) -> DecidingRule? {
        switch timer {
        case .silence:
            return DecidingRule(
                profile == "wilddog" ? "SYNC-9" : "C-12", values: ["silence-limit=\(policy.silenceLimit.text)"])
        case .presence:
            return DecidingRule(
                profile == "agora-rtm" ? "RTM-4" : "C-12", values: ["presence-hold=\(policy.presenceHold.text)"])
        case .token:
            return DecidingRule(choose(nim: "C-10", zim: "ZIM-6", chat: "CHAT-10", rtm: "RTM-5", other: "C-10"))
        case .overdue, .push: return nil
        }
    }

    // MARK: Refusals

    /// The rule of a refused login; nil if no rule applies.
    func rule(ofLoginRefused status: Status, _ policy: ServerPolicy?) -> DecidingRule? {
        switch status {
        case .rateLimited:
            let values = policy.map { policy in
                [
                    "login-rate-max=\(policy.loginRateMax)",
                    "login-rate-window=\(policy.loginRateWindow.text)",
                    "login-rate-penalty=\(policy.loginRatePenalty.text)",
                ]
            }
            return DecidingRule(
                choose(nim: "NIM-8", zim: "C-11", chat: "C-11", rtm: "RTM-9", other: "C-11"), values: values ?? [])
        case .loggedInElsewhere:
            return DecidingRule("NIM-4", values: policy.map { ["checks-last-device=\($0.checksLastDevice)"] } ?? [])
        case .deviceChanged, .tooManyDevices:
            let id = policy?.loginKeepsCurrent == true ? "NIM-4" : profile == "agora-chat" ? "CHAT-3" : "C-6"
            return DecidingRule(id, values: policy.map { ["taken-place=\($0.takenPlace.rawValue)"] } ?? [])
        case .banned:
            return DecidingRule(choose(nim: "NIM-7", zim: "ZIM-4", chat: "CHAT-10", rtm: "RTM-2", other: "C-11"))
        case .wrongCredential, .forbidden:
            return DecidingRule(choose(nim: "NIM-7", zim: "C-11", chat: "CHAT-10", rtm: "RTM-2", other: "C-11"))
        case .credentialExpired, .credentialTooShort:
            return DecidingRule(choose(nim: "NIM-7", zim: "ZIM-6", chat: "CHAT-10", rtm: "RTM-5", other: "C-11"))
        default: return nil
        }
    }
}
