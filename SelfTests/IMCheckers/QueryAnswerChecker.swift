import IMProtocol
import IMServer
import IMSession

/// Checks the server's answers to queries: members of a channel, attributes of a user or channel, devices of an account
/// (RTM-4, RTM-9, NIM-13).
struct QueryAnswerChecker {
    /// The last accepted attributes, by user and by channel.
    private var attributes: [String: [AnswerField]] = [:]
    private var channelAttributes: [String: [AnswerField]] = [:]
    private var question: (id: CommandID, user: String)?
    /// Connections that broke while the server waits for the silence limit. Their devices count as online until then.
    private var broken: Set<String> = []
    private let breakWaitsForSilence: Bool

    init(breakWaitsForSilence: Bool = false) { self.breakWaitsForSilence = breakWaitsForSilence }

    /// - Parameter channels: the members of each channel after the input.
    mutating func observeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ channels: () -> [(channel: String, members: [String])],
        into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: (attributes, channelAttributes, broken) = ([:], [:], [])
        case .input(.linkClosed(let id, let fault)):
            if breakWaitsForSilence, fault != .closedByPeer { broken.insert(String(id.rawValue)) }
        case .input(.serverCommand(let id, .listDevices(let user))): question = (id, user)
        case .effect(.presence(let user, _, let change)): if change != .online { attributes[user] = nil }
        case .effect(.complete(let id, let completion)):
            guard let (request, user) = question, request == id, completion.status == .ok else { return }
            question = nil
            if let detail = wrongDevice(completion.rows, of: user, trace) {
                violations.append(Violation(.agreement, "NIM-13", "the operator is told of other devices", detail))
            }
        case .effect(.send(let connection, let frame)):
            guard case .frame(connection, let request)? = trace.input, let slot = trace.carried[connection]?.slot
            else { return }
            switch (request.body, frame.body) {
            case (.setAttributes(let channel, let fields), .setAttributesAck(.ok)):
                if channel.isEmpty { attributes[slot.user] = fields } else { channelAttributes[channel] = fields }
            case (.settle(let settlement), _):
                if settlement.attributes != nil { attributes[slot.user] = nil }
                forgetMade(settlement.channels, channels())
            case (.join(let channel), .joinAck(.ok, _, _)): forgetMade([channel], channels())
            case (.ask(.members(let channel)), .answer(.ok, let rows)):
                let members = channels().first { $0.channel == channel }?.members ?? []
                let shown = rows.compactMap { $0["member"] }
                guard !Set(shown).isSubset(of: members) || Set(shown).count != shown.count else { return }
                violations.append(
                    Violation(.agreement, "RTM-9", "a question about members is answered wrongly", channel))
            case (.ask(.attributes(let name)), .answer(.ok, let rows)):
                let user = name.isEmpty ? slot.user : name
                guard let known = attributes[user], !frame.hasMore, frame.page == 0 else { return }
                guard (rows.first?.fields ?? []) != known else { return }
                violations.append(
                    Violation(.agreement, "RTM-4", "a question about attributes is answered wrongly", user))
            case (.ask(.channelAttributes(let channel)), .answer(.ok, let rows)):
                guard let known = channelAttributes[channel], !frame.hasMore, frame.page == 0 else { return }
                guard (rows.first?.fields ?? []) != known else { return }
                violations.append(
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
            let slot = ServerTrace.DeviceSlot(user: user, device: row["device"] ?? "")
            let isOnline = row["presence"] == "online"
            if isOnline, let connection = row["connection"], broken.contains(connection) { continue }
            let detail = "\(slot.device) is \(row["presence"] ?? "")"
            guard let id = trace.newest[slot], !trace.over.contains(id), let login = trace.carried[id] else {
                if isOnline { return detail }
                continue
            }
            guard isOnline, row["epoch"] == String(login.epoch), row["connection"] == String(id.rawValue) else {
                return detail
            }
        }
        let missing = trace.newest.filter { slot, id in
            slot.user == user && !trace.over.contains(id) && !rows.contains { $0["device"] == slot.device }
        }
        return missing.keys.min().map { "\($0.device) is missing" }
    }
}
