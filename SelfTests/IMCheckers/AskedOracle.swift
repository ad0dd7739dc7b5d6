import IMProtocol
import IMServer
import IMSession

/// Checks the server's answers to queries: members of a channel, attributes of a user or channel, devices of an account
/// (RTM-4, RTM-9, NIM-13).
struct AskedOracle {
    /// The last accepted attributes, by user and by channel.
    private var attributes: [String: [AnswerField]] = [:]
    private var channelAttributes: [String: [AnswerField]] = [:]
    private var question: (id: CommandID, user: String)?
    /// Connections that broke while the server waits for the silence limit. Their devices count as online until then.
    private var broken: Set<String> = []
    private let breakWaitsForSilence: Bool

    init(breakWaitsForSilence: Bool = false) { self.breakWaitsForSilence = breakWaitsForSilence }

    /// - Parameter channels: the members of each channel after the input.
    mutating func seeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ channels: () -> [(channel: String, members: [String])],
        into faults: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: (attributes, channelAttributes, broken) = ([:], [:], [])
        case .input(.linkClosed(let id, let fault)):
            if breakWaitsForSilence, fault != .closedByPeer { broken.insert(String(id.rawValue)) }
        case .input(.serverCommand(let id, .listDevices(let user))): question = (id, user)
        case .effect(.presence(let user, _, let change)): if change != .online { attributes[user] = nil }
        case .effect(.complete(let id, let completion)):
            guard let (asked, user) = question, asked == id, completion.status == .ok else { return }
            question = nil
            if let words = wrongDevice(completion.rows, of: user, trace) {
                faults.append(Violation(.agreement, "NIM-13", "the operator is told of other devices", words))
            }
        case .effect(.send(let connection, let frame)):
            guard case .frame(connection, let asked)? = trace.input, let place = trace.carried[connection]?.place
            else { return }
            switch (asked.body, frame.body) {
            case (.setAttributes(let channel, let fields), .setAttributesAck(.ok)):
                if channel.isEmpty { attributes[place.user] = fields } else { channelAttributes[channel] = fields }
            case (.settle(let settlement), _):
                if settlement.attributes != nil { attributes[place.user] = nil }
                forgetMade(settlement.channels, channels())
            case (.join(let channel), .joinAck(.ok, _, _)): forgetMade([channel], channels())
            case (.ask(.members(let channel)), .answer(.ok, let rows)):
                let members = channels().first { $0.channel == channel }?.members ?? []
                let shown = rows.compactMap { $0["member"] }
                guard !Set(shown).isSubset(of: members) || Set(shown).count != shown.count else { return }
                faults.append(Violation(.agreement, "RTM-9", "a question about members is answered wrongly", channel))
            case (.ask(.attributes(let name)), .answer(.ok, let rows)):
                let user = name.isEmpty ? place.user : name
                guard let known = attributes[user], !frame.hasMore, frame.page == 0 else { return }
                guard (rows.first?.fields ?? []) != known else { return }
                faults.append(Violation(.agreement, "RTM-4", "a question about attributes is answered wrongly", user))
            case (.ask(.channelAttributes(let channel)), .answer(.ok, let rows)):
                guard let known = channelAttributes[channel], !frame.hasMore, frame.page == 0 else { return }
                guard (rows.first?.fields ?? []) != known else { return }
                faults.append(
                    Violation(.agreement, "RTM-4", "a question about attributes is answered wrongly", channel))
            default: break
            }
        default: break
        }
    }

    /// A channel that was created again has no attributes.
    private mutating func forgetMade(_ names: [String], _ channels: [(channel: String, members: [String])]) {
        for name in names where channels.first(where: { $0.channel == name })?.members.count ?? 0 <= 1 {
            channelAttributes[name] = nil
        }
    }

    private func wrongDevice(_ rows: [AnswerRow], of user: String, _ trace: ServerTrace) -> String? {
        for row in rows {
            let place = ServerTrace.Place(user: user, device: row["device"] ?? "")
            let isOnline = row["presence"] == "online"
            if isOnline, let connection = row["connection"], broken.contains(connection) { continue }
            let words = "\(place.device) is \(row["presence"] ?? "")"
            guard let id = trace.newest[place], !trace.over.contains(id), let login = trace.carried[id] else {
                if isOnline { return words }
                continue
            }
            guard isOnline, row["epoch"] == String(login.epoch), row["connection"] == String(id.rawValue) else {
                return words
            }
        }
        let missing = trace.newest.filter { place, id in
            place.user == user && !trace.over.contains(id) && !rows.contains { $0["device"] == place.device }
        }
        return missing.keys.min().map { "\($0.device) is missing" }
    }
}
