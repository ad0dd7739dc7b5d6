import IMProtocol
import SansIO

/// The request of a call that the server has not answered yet.
struct PendingRequest: Hashable, Sendable, Codable {
    /// The number in the request's frame, which the answer repeats; 0 until the request is sent.
    var number: UInt32 = 0
    var command: CommandID
    /// The channel of a join; empty otherwise.
    var channel: String = ""
    /// The channel of a leave; nil otherwise. If the server refuses the leave, the client is still a member.
    var leaving: String?
    /// The name of the new credential, if the request renews the token; empty otherwise.
    var credential: String = ""
    /// The path of an onDisconnect operation, `/` for the root; empty for any other request.
    var path: String = ""
    /// The user's attributes that the request sets; nil for any other request.
    var attributes: [AnswerField]?
    /// The user whose presence the request starts to watch; nil for any other request.
    var watching: String?
    /// The user of ``watching``, if the app did not watch the user before this request; nil otherwise. If the server
    /// refuses such a request, the client stops watching the user.
    var newWatch: String?
    /// The channel whose members the request queries; nil for any other request.
    var membersOf: String?
    /// True if the request changes channels, attributes or watches. Client and server must agree on these, so after a
    /// lost answer the client sends its complete state (C-15).
    var isReconciled = false
}

/// The calls that wait for the server. A call completes exactly once (C-1): with its answer, at its time limit, or when
/// its connection ends.
struct ClientCalls: Hashable, Sendable {
    /// The requests without an answer, in the order of the app's calls.
    var requests: [PendingRequest] = []
    /// The times of earlier calls, for the rate limits.
    var times = CallTimes()
    /// The pages received so far, if the server sends an answer in several frames; nil otherwise.
    var pages: Frame?

    /// The channels that are being joined.
    var joining: [String] { requests.map(\.channel).filter { !$0.isEmpty } }

    var isSettingAttributes: Bool { requests.contains { $0.attributes != nil } }

    /// True if a call exceeds the rate limit of its family (RTM-9). If it does not, the call is counted.
    mutating func isTooOften(
        _ family: CallRate.Family, name: String = "", _ common: ClientCommon, at now: Instant
    ) -> Bool {
        times.isTooOften(family, name: name, rates: common.policy.callRates, at: now)
    }

    /// Sends a request, adds it to ``requests`` and sets the timer for its answer.
    mutating func sendRequest(
        _ body: FrameBody, for request: PendingRequest, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        var request = request
        request.number = common.makeRequestNumber()
        requests.append(request)
        common.timers.set(.request(request.number), at: now + common.policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: request.number, body)))
    }

    /// Sends a request about the tree, in as many frames as its size requires, and sets the timer for its answer.
    mutating func sendRequest(
        _ tree: TreeRequest, for request: PendingRequest, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        let first = effects.count
        sendRequest(.tree(tree), for: request, over: connection, &common, at: now, into: &effects)
        let frames = tree.frames(request: requests.last?.number ?? 0)
        effects.replaceSubrange(first..., with: frames.map { .send(connection, $0) })
    }

    /// Removes the request with this number and completes its command. Does nothing if the request has already ended,
    /// such as at its time limit.
    ///
    /// - Returns: the removed request; nil if there was none.
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

    /// Cancels the earlier requests of a kind after the server has accepted a later one. The accepted request replaced
    /// their values, so their answers are outdated (P11, RTM-4).
    ///
    /// - Parameters:
    ///   - number: the number of the accepted request.
    ///   - isOfKind: true for a request of the same kind.
    mutating func cancelRequests(
        before number: UInt32, _ common: inout ClientCommon, into effects: inout [ClientEffect],
        where isOfKind: (PendingRequest) -> Bool
    ) {
        for request in requests.prefix(while: { $0.number != number }) where isOfKind(request) {
            end(request.number, Completion(.cancelled), &common, into: &effects)
        }
    }

    /// Handles the server's acceptance of a watch. If the server then refuses an earlier request to watch the same
    /// user, the client continues to watch the user.
    mutating func watchAccepted(_ user: String, by number: UInt32) {
        for index in requests.indices
        where requests[index].newWatch == user && Frame.isRequest(requests[index].number, before: number) {
            requests[index].newWatch = nil
        }
    }

    /// Handles the server's refusal of a watch. If the app has requested the same watch again, the answer to that
    /// request decides whether the client watches the user.
    ///
    /// - Returns: true if such a request waits for its answer.
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

    /// The progress of an answer after one of its frames.
    enum Pages {
        /// The answer is complete: all its pages as one frame.
        case whole(Frame)
        /// More pages will come, or a page is missing.
        case part
        /// The answer has more pages than allowed.
        case tooMany
    }

    /// Adds a frame to ``pages`` if it is a page of an answer in several frames. Any other frame is complete by itself.
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
