import Foundation
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSimulation
import IMText
import SansIO

// The commands that make the calls of an app to its SDK.

extension Shell: ShellContext {
    package func login(_ request: LoginArguments, client name: String?) throws {
        var call = request.call
        // An automatic, forced or offline login uses the stored credential, unless the user gives a new one.
        let usesStoredCredential = call.mode != .manual && request.credential == .provisioned
        if let timeToLive = request.timeToLive {
            call.credential = try freshToken(for: call.user, timeToLive: timeToLive)
        } else if !usesStoredCredential {
            call.credential = try reference(request.credential, user: call.user)
        }
        try submit(.login(call), client: name)
    }

    package func logout(keepsPush: Bool, client name: String?) throws {
        try submit(.logout(keepsPush: keepsPush), client: name)
    }

    package func renewToken(_ credential: CredentialSource, client name: String?) throws {
        let id = try client(name)
        guard let user = try world.perform({ $0[id].client?.user }) else {
            throw CommandFailure("renew-token needs a login: no user is logged in")
        }
        let reference =
            credential == .provisioned
            ? try freshToken(for: user, timeToLive: nil) : try reference(credential, user: user)
        try submit(.renewToken(credential: reference), client: name)
    }

    /// Creates a token in the embedded world and returns its name. A session contains only the names of credentials.
    private func freshToken(for user: String, timeToLive: Interval?) throws -> String {
        try worldCall { core in
            guard core.vault.makesTokens else {
                throw CommandFailure("this world creates no tokens: give a token with --token-file")
            }
            do {
                return core.vault.keep(
                    try core.vault.mint(
                        user: user, lifetime: timeToLive, wallMilliseconds: core.wallMilliseconds))
            } catch {
                throw CommandFailure("cannot create a token for '\(user)': \(error)")
            }
        }
    }

    package func kick(_ request: KickRequest, client name: String?) throws {
        if let user = request.user {
            let action: AccountCall.Action
            switch request.target {
            case .device(let device): action = .kick(device: try deviceID(device))
            case .all, .otherDevices: action = .kickAll
            }
            let credential = try reference(request.credential, user: user)
            try submit(.accountCall(user: user, credential: credential, action), client: name)
            return
        }
        switch request.target {
        case .device(let device):
            try submit(.kick(.device(try deviceID(device))), client: name)
        case .otherDevices: try submit(.kick(.otherDevices), client: name)
        case .all:
            throw CommandFailure(
                "a login cannot kick itself; use 'kick --other-devices' for all others, or 'kick --all --user U' for "
                    + "all"
            )
        }
    }

    /// The id of a device that the user named by its id or by its client.
    func deviceID(_ word: String) throws -> String {
        try world.perform { core in
            core.node(named: word).flatMap { core[$0].device?.id } ?? word
        }
    }

    package func query(_ request: QueryRequest, client name: String?) throws {
        if let user = request.user {
            let credential = try reference(request.credential, user: user)
            try submit(.accountCall(user: user, credential: credential, .listDevices), client: name)
            return
        }
        let detail = request.detail ?? ""
        let query: ClientQuery
        switch request.subject {
        case .state: query = .state
        case .account: query = .account
        case .devices: query = .devices
        case .config: query = .config
        case .pending: query = .pending
        case .localData: query = .local
        case .channels: query = .channels
        case .clients: return try client(.list)
        case .steps: return try printLoginSteps(of: try client(name))
        case .selfIDs: query = .selfIDs
        case .listeners: query = .listeners
        case .items: query = .items
        case .failed: query = .failed
        case .conversations: return try callLocal(.queryConversationList, [], client: name)
        case .unread:
            return try callLocal(
                .queryConversationList, [KeyValue(key: "isOnlyUnreadConversation", value: "true")], client: name)
        case .history: return try printHistory(of: detail, client: name)
        case .friends: return try callLocal(.queryFriendList, [], client: name)
        case .groups: return try callLocal(.queryGroupList, [], client: name)
        case .blacklist: return try callLocal(.queryBlacklist, [], client: name)
        case .members: return _ = try submit(.ask(.members(channel: detail)), client: name)
        case .attributes: return _ = try submit(.ask(.attributes(user: detail)), client: name)
        case .channelAttributes: return _ = try submit(.ask(.channelAttributes(channel: detail)), client: name)
        }
        let completion = try submit(.query(query), client: name)
        var rows = completion?.rows ?? []
        if query == .items, !detail.isEmpty {
            rows.removeAll { row in !row.fields.contains { $0.name == "kind" && $0.value == detail } }
        }
        printResult(rows: rows, none: "none")
    }

    package func call(_ call: SDKCall, client name: String?) throws {
        switch call {
        case .resend: try submit(.resend, client: name)
        case .attributes(let pairs, let channel):
            let fields = pairs.map { AnswerField(name: $0.key, value: $0.value) }
            try submit(.setAttributes(channel: channel ?? "", fields), client: name)
        case .subscribe(let user, let isOn): try submit(.watch(user: user, isOn: isOn), client: name)
        case .act(let operation, let target, let ext):
            guard let kind = operation.kind else {
                throw CommandFailure("the protocol has no operation '\(operation.rawValue)'")
            }
            try submit(.operate(kind, target: target, ext: ext), client: name)
        case .tree(let path, .outline):
            let completion = try submit(.tree(try TreeText.command(.outline, at: path)), client: name)
            let rows = completion?.rows ?? []
            if output.form == .json {
                printResult(rows: rows, none: "")
            } else {
                TreeDrawing.lines(of: rows).forEach(printResult)
            }
        case .tree(let path, let action): try submit(.tree(try TreeText.command(action, at: path)), client: name)
        case .goOffline: try submit(.goOffline, client: name)
        case .goOnline: try submit(.goOnline, client: name)
        case .local(let call, let arguments): try callLocal(call, arguments, client: name)
        case .change(let kind, let fields): try submit(.change(ChangeRecord(kind, fields)), client: name)
        }
    }

    /// Prints the callbacks that the client has received, at most the newest 40.
    private func printLoginSteps(of id: NodeID) throws {
        let log = log
        let steps = try world.perform { core -> [String] in
            log.observations(of: core[id].name).filter { $0.kind == .callback }.map { "\($0.label)  \($0.text)" }
        }
        if steps.isEmpty { printResult("no callback yet") } else { steps.suffix(40).forEach(printResult) }
    }

    package func send(_ request: SendRequest, client name: String?) throws {
        try submit(.send(to: request.to, text: request.text, isToChannel: request.isChannel), client: name)
    }

    package func join(channel: String, client name: String?) throws {
        try submit(.join(channel: channel), client: name)
    }

    package func leave(channel: String, client name: String?) throws {
        try submit(.leave(channel: channel), client: name)
    }

    /// The keys of the command `option`.
    package static let optionNames = ["maxAutoLoginRetryTimes", "reconnect-delay"]

    /// The value of `reconnect-delay` that restores the SDK's own delays.
    private static let defaultDelays = "default"

    package func setOption(_ option: KeyValue, client name: String?) throws {
        switch option.key {
        case "maxAutoLoginRetryTimes":
            guard let count = Int(option.value), count >= 0 else {
                throw CommandFailure("maxAutoLoginRetryTimes takes a whole number from 0; 0 retries without limit")
            }
            try submit(.setOption(.retryCountMax(count)), client: name)
        case "reconnect-delay":
            let isDefault = option.value == Self.defaultDelays
            let delays = isDefault ? [] : option.value.split(separator: ",").map { DurationText.interval(String($0)) }
            guard isDefault || !delays.isEmpty, delays.allSatisfy({ $0 != nil }) else {
                throw CommandFailure(
                    "reconnect-delay takes durations, such as 2s,4s,8s, or '\(Self.defaultDelays)' for the SDK's "
                        + "delays")
            }
            try submit(.setOption(.retryDelays(delays.compactMap { $0 })), client: name)
        default:
            let hint =
                Suggestion.nearest(to: option.key, among: Self.optionNames).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure(
                "there is no option '\(option.key)'\(hint) (\(Self.optionNames.joined(separator: ", ")))")
        }
    }

    /// Stores a credential in the world's vault and returns its name. Only the vault gets the secret itself.
    private func reference(_ source: CredentialSource, user: String) throws -> String {
        let secret: String
        switch source {
        case .provisioned: return try world.perform { $0.vault.reference(for: user) }
        case .token(let inline): secret = inline.plain
        case .tokenFile(let path): secret = try SecretFile.read(path, kind: "token")
        case .tokenEnvironment(let name):
            guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
                throw CommandFailure("the environment variable '\(name)' is not set")
            }
            secret = value
        case .passwordFile(let path):
            guard plan.dialect.clientPolicy.features.contains(.passwords) else {
                throw CommandFailure("\(plan.dialect.title) logs in with tokens; give a token with --token-file")
            }
            let password = try SecretFile.read(path, kind: "password")
            return try worldCall { try $0.vault.keep(password: password) }
        }
        return try world.perform { $0.vault.keep(secret) }
    }
}

/// Reads a secret from a file.
enum SecretFile {
    static let bytesMax = 64 * 1024

    /// The first line of the file that is not empty.
    ///
    /// - Parameter kind: the kind of the secret, for the error.
    /// - Throws: ``CommandFailure`` if the file cannot be read or contains no such line.
    static func read(_ path: String, kind: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("the file '\(path)' cannot be read")
        }
        guard data.count <= bytesMax, let text = String(data: data, encoding: .utf8),
            let line = text.split(whereSeparator: \.isNewline).first
        else {
            throw CommandFailure("the file '\(path)' contains no \(kind)")
        }
        return String(line)
    }
}
