import IMProtocol
import IMSession

/// What a line means for the login and the connection, independent of the vendor.
enum LineMeaning: Hashable, Sendable {
    case online
    /// The connection was lost.
    case lost
    /// A login or a reconnect begins.
    case connecting
    /// A connection attempt failed.
    case linkFailed
    /// The network changed.
    case networkChanged
    case kicked
    /// The login ended because of its token.
    case tokenEnded
    case tokenWarning
    /// A login failed.
    case failed(Failure)
    /// The app logged out, or the client's state is logged out.
    case loggedOut
    case message
    case devices
    case presence
    case operation
    case value
    case other

    /// The reason why a login failed, according to its code.
    enum Failure: Hashable, Sendable {
        /// The connection failed, or the code is not in one of the other groups.
        case link
        case credential, refused
        /// Another device has taken the slot of this device.
        case taken
        /// The app made the call too often or at a wrong time.
        case misuse
        /// The vendor does not accept the App ID.
        case appID
    }
}

/// Finds the hidden events that can cause a line of a log, for one vendor.
protocol VendorCauses: Sendable {
    var profile: String { get }
    /// The settings that determine the times of lines.
    var times: ClientTimes { get set }
    /// True if the expiry of a token ends the login.
    var tokenEndsLogin: Bool { get }
    /// True if the SDK calls its own logout method after a kick, so that the log contains a call that the app did not
    /// make.
    var logsOutAfterKick: Bool { get }
    /// Converts the lines of a log to the names of the current SDK.
    func normalized(_ events: [LoggedEvent]) -> [LoggedEvent]
    /// Converts one line to the names of the current SDK.
    func normalized(_ event: LoggedEvent) -> LoggedEvent
    /// The fields that the machines produce instead of those in the log, for a callback that differs between versions
    /// of the SDK. Nil if the fields are the same.
    func substitute(for event: LoggedEvent) -> [AnswerField]?
    func meaning(of line: AppLine) -> LineMeaning
    /// True if a callback means that a login received no answer in time.
    func isLoginTimeout(_ line: AppLine) -> Bool
    /// The number of one-way delays from the start of a connection to the line; nil if the line does not follow from a
    /// new connection.
    func delayCount(of line: AppLine) -> Milliseconds?
    /// The one-way delays of the network, as the logins and calls in the log show them.
    func delays(in lines: [AppLine]) -> [Milliseconds]
    /// The moves that can explain the client's state at the beginning of a log, such as a hidden login. They are used
    /// if the log lacks the start of the process.
    func roots(_ app: ObservedApp) -> [Move]
    /// The settings of other known versions of this vendor's client, the most likely first.
    var knownNumbers: [ClientNumbers] { get }
    /// The moves that may explain a line that the simulation lacks.
    func moves(_ point: BranchPoint) -> [Move]
}

enum VendorCausesList {
    static let all: [any VendorCauses] = [NIMCauses(), ZIMCauses(), ChatCauses(), RTMCauses(), WilddogCauses()]

    static func causes(of profile: String) -> (any VendorCauses)? { all.first { $0.profile == profile } }
}

extension VendorCauses {
    var knownNumbers: [ClientNumbers] { [] }

    /// A copy for a client with other settings.
    func withNumbers(_ numbers: ClientNumbers) -> any VendorCauses {
        var vendor = self
        vendor.times = times.with(numbers, profile: profile)
        return vendor
    }

    var logsOutAfterKick: Bool { false }

    func isLoginTimeout(_ line: AppLine) -> Bool { false }

    func normalized(_ events: [LoggedEvent]) -> [LoggedEvent] { events.map { normalized($0) } }

    func normalized(_ event: LoggedEvent) -> LoggedEvent { event }

    func substitute(for event: LoggedEvent) -> [AnswerField]? { nil }

    func delayCount(of line: AppLine) -> Milliseconds? { meaning(of: line) == .online ? 4 : nil }

    func roots(_ app: ObservedApp) -> [Move] { standardRoots(app) }

    func standardRoots(_ app: ObservedApp) -> [Move] {
        let first = app.lines[0].time
        let login = AppCall("login", [("user", app.user)])
        return [Move(0, [HiddenEvent(first - 60_000, .call(login))])]
            + [4, 2, 6].map { Move(0.3, [HiddenEvent(first - $0 * app.latency, .call(login))]) }
    }
    var tokenEndsLogin: Bool { true }

    /// The meaning of the code of a failed login.
    static func failure(
        _ code: String?, credential: [String], refused: [String], taken: [String] = [], misuse: [String]
    ) -> LineMeaning {
        guard let code else { return .other }
        if credential.contains(code) { return .failed(.credential) }
        if refused.contains(code) { return .failed(.refused) }
        if taken.contains(code) { return .failed(.taken) }
        return .failed(misuse.contains(code) ? .misuse : .link)
    }

    /// The median of the one-way delays in the log. The default of 10 ms if it is shorter than 18 ms, or if the log
    /// shows no delay.
    func latency(of lines: [AppLine]) -> Milliseconds {
        let typical = delays(in: lines).filter { $0 < 2500 }.sorted()
        guard !typical.isEmpty else { return 10 }
        let median = typical[(typical.count - 1) / 2]
        return median < 18 ? 10 : median
    }

    func delays(in lines: [AppLine]) -> [Milliseconds] {
        var found: [Milliseconds] = []
        var ofCalls: [Milliseconds] = []
        for (index, line) in lines.enumerated() where line.kind == .call {
            let later = lines[(index + 1)...]
            if line.isOnlineLoginCall {
                // Other calls may be between the login and its answer.
                let end = later.first {
                    $0.kind == .start || $0.isLoginCall || $0.kind == .call && $0.name == "logout"
                        || meaning(of: $0) != .connecting && isState($0) || isAnswer($0, line.name)
                }
                guard let end, meaning(of: end) == .online || isAnswer(end, line.name) else { continue }
                found.append((end.time - line.time) / 4)
            } else if ["send", "renew-token", "join", "subscribe"].contains(line.name) {
                guard let end = later.first(where: { $0.kind == .result && $0.name == line.name }) else { continue }
                ofCalls.append((end.time - line.time) / 2)
            }
        }
        // A call that the device itself refuses has no network delay, so very short delays of calls are ignored.
        guard let least = found.min() else { return ofCalls }
        return found + ofCalls.filter { $0 >= least / 2 }
    }

    /// True if a line is the result of a successful call.
    private func isAnswer(_ line: AppLine, _ name: String) -> Bool {
        line.kind == .result && line.name == name && (line["code"] == "0" || line["code"] == "200")
    }

    private func isState(_ line: AppLine) -> Bool {
        switch meaning(of: line) {
        case .online, .lost, .kicked, .failed, .linkFailed, .tokenEnded: true
        default: false
        }
    }

    /// An estimate of the cost that a line adds to a candidate. The search uses it to compare candidates that explain
    /// different numbers of lines.
    func weight(of line: AppLine) -> Double {
        switch meaning(of: line) {
        case .lost: 1.1
        case .kicked: 1.0
        case .tokenEnded, .tokenWarning: 0.8
        case .failed(.misuse): 0.08
        case .failed: 0.5
        case .message, .operation, .presence, .devices: 0.8
        case .value: 0.3
        default: 0.08
        }
    }
}
