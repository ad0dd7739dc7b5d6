import IMProtocol
import SansIO

/// A call that the server has not answered yet.
struct PendingRequest: Hashable, Sendable, Codable {
    /// 0 until it is sent.
    var number: UInt32 = 0
    var command: CommandID
    /// The channel of a join; empty otherwise.
    var channel: String = ""
    /// The channel of a leave, which is restored if the leave is refused; nil otherwise.
    var leaving: String?
    /// The name of the new credential of a renewal; empty otherwise.
    var credential: String = ""
    /// The path of a tree request; empty otherwise.
    var path: String = ""
    /// The user's attributes after the server has accepted the request; nil otherwise.
    var attributes: [AnswerField]?
    /// The user of a new watch; nil otherwise.
    var watching: String?
    /// The user of a new watch, if the user was not watched before; nil otherwise.
    var newWatch: String?
    /// The channel whose members were queried; nil otherwise.
    var membersOf: String?
    /// True if the request changes state on the server that both sides must agree on (C-15).
    var isKept = false
}

/// The calls that wait for the server. Each ends exactly once (C-1): by its answer, by its time limit, or with its
/// connection.
struct ClientCalls: Hashable, Sendable {
    /// In the order in which they were made.
    var requests: [PendingRequest] = []
    var times = CallTimes()
    /// The pages received so far of an answer that takes several frames.
    var pages: Frame?

    /// The channels that are being joined.
    var joining: [String] { requests.map(\.channel).filter { !$0.isEmpty } }

    var isSettingAttributes: Bool { requests.contains { $0.attributes != nil } }

    /// True if a call comes too often (RTM-9). Only calls that are sent count.
    mutating func isTooOften(
        _ family: CallRate.Family, name: String = "", _ common: ClientCommon, at now: Instant
    ) -> Bool {
        times.isTooOften(family, name: name, rates: common.policy.callRates, at: now)
    }

    /// Sends a request, and waits for its answer.
    mutating func ask(
        _ body: FrameBody, for request: PendingRequest, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        var request = request
        request.number = common.makeRequestNumber()
        requests.append(request)
        common.timers.set(.request(request.number), at: now + common.policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: request.number, body)))
    }

    /// Sends a tree request, in as many frames as needed, and waits for its answer.
    mutating func ask(
        _ tree: TreeRequest, for request: PendingRequest, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        let first = effects.count
        ask(.tree(tree), for: request, over: connection, &common, at: now, into: &effects)
        let frames = tree.frames(request: requests.last?.number ?? 0)
        effects.replaceSubrange(first..., with: frames.map { .send(connection, $0) })
    }

    /// Ends the request with this number. An answer without a request, or after its time limit, is ignored.
    ///
    /// - Returns: the request; nil if there is none.
    @discardableResult
    mutating func end(
        _ number: UInt32, _ completion: Completion, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) -> PendingRequest? {
        guard let index = requests.firstIndex(where: { $0.number == number }) else { return nil }
        let request = requests.remove(at: index)
        common.timers.cancel(.request(number))
        effects.append(.complete(request.command, completion))
        return request
    }

    /// The server has accepted a request: earlier requests of the same kind are cancelled, because their answers are
    /// outdated (P11, RTM-4).
    mutating func endOvertaken(
        by number: UInt32, _ common: inout ClientCommon, into effects: inout [ClientEffect],
        isLike: (PendingRequest) -> Bool
    ) {
        for request in requests.prefix(while: { $0.number != number }) where isLike(request) {
            end(request.number, Completion(.cancelled), &common, into: &effects)
        }
    }

    /// The server has accepted a watch: the refusal of an earlier request for the same user does not end it.
    mutating func watchAccepted(_ user: String, by number: UInt32) {
        for index in requests.indices
        where requests[index].newWatch == user && Frame.isRequest(requests[index].number, before: number) {
            requests[index].newWatch = nil
        }
    }

    /// The server has refused a watch. If it was requested again, the next answer decides.
    ///
    /// - Returns: true if another answer is to come.
    mutating func moveNewWatch(_ user: String) -> Bool {
        guard let next = requests.firstIndex(where: { $0.watching == user }) else { return false }
        requests[next].newWatch = user
        return true
    }

    /// Fails all requests, because the connection has ended.
    ///
    /// - Returns: the failed requests.
    mutating func fail(
        _ status: Status, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) -> [PendingRequest] {
        let failed = requests
        requests.removeAll()
        pages = nil
        for request in failed {
            common.timers.cancel(.request(request.number))
            effects.complete(request.command, status)
        }
        return failed
    }

    // MARK: Answers in several frames

    enum Pages {
        /// The frame with the pages before it.
        case whole(Frame)
        /// More pages will come, or a page is missing.
        case part
        /// More than an answer may have.
        case tooMany
    }

    mutating func add(_ frame: Frame, pagesMax: Int) -> Pages {
        guard frame.hasMore || frame.page > 0 else { return .whole(frame) }
        guard frame.page < UInt32(clamping: pagesMax) else {
            pages = nil
            return .tooMany
        }
        let joined = frame.page == 0 ? frame : pages?.joined(with: frame)
        pages = joined?.hasMore == true ? joined : nil
        guard let joined, !joined.hasMore else { return .part }
        return .whole(joined)
    }
}
