import IMProtocol
import SansIO

/// A call that the server has not answered yet.
struct PendingRequest: Hashable, Sendable, Codable {
    /// 0 until it is sent.
    var number: UInt32 = 0
    var command: CommandID
    /// The channel of a join, so that it can be remembered; empty otherwise.
    var channel: String = ""
    /// The channel that is left, which the login is in again if it may not be; nil otherwise.
    var leaving: String?
    /// The name of the new credential of a renewal; empty otherwise.
    var credential: String = ""
    /// The place of the tree that was asked about; empty otherwise.
    var path: String = ""
    /// The user's attributes as they are once the server has them; nil otherwise.
    var attributes: [AnswerField]?
    /// The user who is to be watched; nil otherwise.
    var watching: String?
    /// The same, where the user was not watched before.
    var newWatch: String?
    /// The channel whose members were queried; nil otherwise.
    var membersOf: String?
    /// Whether the server keeps what is asked for, so that both have to agree about it (C-15).
    var isKept = false
}

/// The calls that wait for the server. Each ends exactly once (C-1): by its answer, by its time limit, or with its link.
struct ClientCalls: Hashable, Sendable {
    /// In the order in which they were made.
    var requests: [PendingRequest] = []
    var times = CallTimes()
    /// The pages so far of an answer that takes several frames.
    var pages: Frame?

    /// The channels that are being joined.
    var joining: [String] { requests.map(\.channel).filter { !$0.isEmpty } }

    var isSettingAttributes: Bool { requests.contains { $0.attributes != nil } }

    /// Whether a call comes too often (RTM-9). Only calls that go out count.
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

    /// Sends a request about the tree, in as many frames as it takes, and waits for its answer.
    mutating func ask(
        _ tree: TreeRequest, for request: PendingRequest, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        let first = effects.count
        ask(.tree(tree), for: request, over: connection, &common, at: now, into: &effects)
        let frames = tree.frames(request: requests.last?.number ?? 0)
        effects.replaceSubrange(first..., with: frames.map { .send(connection, $0) })
    }

    /// The request with this number has ended. Nobody waits for an answer that comes unasked or too late.
    ///
    /// - Returns: what it was about.
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

    /// A request has been taken: whatever is still said of those before it that asked for the like says what was (P11,
    /// RTM-4).
    mutating func endOvertaken(
        by number: UInt32, _ common: inout ClientCommon, into effects: inout [ClientEffect],
        isLike: (PendingRequest) -> Bool
    ) {
        for request in requests.prefix(while: { $0.number != number }) where isLike(request) {
            end(request.number, Completion(.cancelled), &common, into: &effects)
        }
    }

    /// A user is watched: what was asked before that, and is refused later, does not end it.
    mutating func watchTaken(_ user: String, by number: UInt32) {
        for index in requests.indices
        where requests[index].newWatch == user && Frame.isRequest(requests[index].number, before: number) {
            requests[index].newWatch = nil
        }
    }

    /// A user could not be watched. Where that was asked for once more, the next answer decides.
    ///
    /// - Returns: whether there is one to come.
    mutating func passOnNewWatch(_ user: String) -> Bool {
        guard let next = requests.firstIndex(where: { $0.watching == user }) else { return false }
        requests[next].newWatch = user
        return true
    }

    /// The link is gone, and with it the answers.
    ///
    /// - Returns: the requests that have failed.
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
        /// More are to come, or one is missing.
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
