import IMClient
import IMLocalData
import IMProtocol
import SansIO
import Testing

/// Tests of a client's local data: when it is open, which answers of the store the client uses, and how the data
/// follows the server (ZIM-9).
@Suite struct ClientDataTests {
    private func phone() -> ClientTranscript {
        let phone = ClientTranscript(zim)
        phone.showsData = true
        return phone
    }

    /// Answers the last request to the store.
    @discardableResult
    private func answer(_ phone: ClientTranscript, _ outcome: DataAnswer.Outcome, generation: UInt32? = nil) -> [String]
    {
        let last = phone.dataRequests.last?.generation ?? 0
        return phone.feed(.dataAnswered(DataAnswer(generation: generation ?? last, outcome)))
    }

    /// A client that is online with data up to change `position`, without a running sync.
    private func synced(_ position: UInt64 = 5) -> ClientTranscript {
        let phone = phone()
        phone.goOnline()
        answer(phone, .opened(position: position))
        receive(phone, after: position, [], request: phone.request)
        return phone
    }

    @discardableResult
    private func receive(
        _ phone: ClientTranscript, after: UInt64, _ numbers: [UInt64], isLast: Bool = true, request: UInt32 = 0
    ) -> [String] {
        let changes = numbers.map {
            ChangeRecord(
                number: $0, kind: .friend, fields: [AnswerField(name: "userID", value: "u\($0)")])
        }
        return phone.receive(.changes(ChangePage(after: after, changes: changes, isLast: isLast)), request: request)
    }

    private let call = ClientCommand.call(LocalRequest(.queryFriendList))

    @Test("C-13 ZIM-9: the data is open from the login to its end, and a later login opens it again")
    func openAndClosed() {
        let phone = phone()
        #expect(phone.command(call) == ["done 1 not-logged-in"])
        #expect(!phone.login().contains { $0.hasPrefix("data") })
        phone.open()
        #expect(phone.accept().last == "data 1 open alice")
        #expect(phone.command(call) == ["data 1 call 1 queryFriendListWithConfig"])
        // The data is closed at once, before the server has answered the logout. Waiting calls fail.
        let out = phone.logout()
        #expect(out.suffix(2) == ["done 3 not-logged-in", "data 1 close"])
        #expect(phone.command(call) == ["done 5 not-logged-in"])
        // The store's answer comes after the call has failed, so it is ignored.
        #expect(answer(phone, .answered(number: 1, LocalAnswer())) == [])
        phone.receive(.logoutAck(.ok))
        phone.goOnline("bob", epoch: 2)
        #expect(phone.dataRequests.last == DataRequest(generation: 2, .open(user: "bob")))
        #expect(answer(phone, .opened(position: 9), generation: 1) == [])
        #expect(answer(phone, .opened(position: 0)) == ["data sync started", "send 2 fetch-changes"])
    }

    @Test("C-5 ZIM-9: a kick closes the data, and completes the waiting calls")
    func kicked() {
        let phone = synced()
        phone.command(call)
        let lines = phone.receive(.kicked(KickNotice(reason: .otherLogin, epoch: 1)))
        #expect(lines.suffix(2) == ["done 2 not-logged-in", "data 1 close"])
        #expect(phone.incomplete == [])
    }

    @Test("C-1 ZIM-9: each call is answered once, in the order of the calls")
    func order() {
        let phone = synced()
        phone.command(call)
        phone.command(call)
        // The answer belongs to the second waiting call, so it is ignored until the first is answered.
        #expect(answer(phone, .answered(number: 2, LocalAnswer())) == [])
        #expect(answer(phone, .answered(number: 1, LocalAnswer())) == ["done 2 ok"])
        #expect(answer(phone, .answered(number: 1, LocalAnswer())) == [])
        #expect(answer(phone, .answered(number: 2, LocalAnswer(.notFound))) == ["done 3 not-found"])
    }

    @Test("ZIM-9: if the data cannot be opened, calls fail and everything else continues")
    func failed() {
        let phone = phone()
        phone.goOnline()
        phone.command(call)
        #expect(answer(phone, .failed(.dataUnavailable)) == ["done 2 data-unavailable"])
        #expect(phone.command(call) == ["done 3 data-unavailable"])
        #expect(receive(phone, after: 0, [1]) == [])
        #expect(phone.state == .online)
    }

    @Test("C-1: no call succeeds if the store fails without a reason")
    func failedWithoutReason() {
        let phone = phone()
        phone.goOnline()
        phone.command(call)
        #expect(answer(phone, .failed(.ok)) == ["done 2 data-unavailable"])
    }

    @Test("ZIM-9: changes come in pages after the known number, and events continue after them")
    func pages() {
        let phone = phone()
        phone.goOnline()
        #expect(answer(phone, .opened(position: 5)) == ["data sync started", "send 1 fetch-changes"])
        #expect(
            receive(phone, after: 5, [6, 7], isLast: false, request: phone.request) == [
                "send 1 fetch-changes", "data 1 apply 6,7",
            ])
        // A change that arrives during the request is part of the requested page.
        #expect(receive(phone, after: 8, [9]) == [])
        #expect(
            receive(phone, after: 7, [8, 9], request: phone.request) == ["data 1 apply 8,9", "data sync finished"])
        #expect(receive(phone, after: 9, [12]) == ["data 1 apply 12", "changed friend u12"])
        // The page arrives again and overlaps with known changes. Only the new changes are applied.
        #expect(receive(phone, after: 9, [12]) == [])
        #expect(receive(phone, after: 9, [12, 13]) == ["data 1 apply 13", "changed friend u13"])
        // The event with change 14 is lost.
        #expect(receive(phone, after: 14, [15]) == ["send 1 fetch-changes"])
        #expect(receive(phone, after: 15, [16]) == [])
        // The answer to another request is ignored.
        #expect(receive(phone, after: 13, [14], request: 4711) == [])
        // The app is notified of the change in the lost event and of the later changes.
        #expect(
            receive(phone, after: 13, [14, 15, 16], request: phone.request) == [
                "data 1 apply 14,15,16", "changed friend u14", "changed friend u15", "changed friend u16",
            ])
    }

    @Test(
        "C-15 ZIM-9: an answer that is older than an earlier event is fetched again"
    )
    func overtaken() {
        let phone = phone()
        phone.goOnline()
        #expect(answer(phone, .opened(position: 5)) == ["data sync started", "send 1 fetch-changes"])
        #expect(receive(phone, after: 6, [7]) == [])
        #expect(
            receive(phone, after: 5, [6], request: phone.request) == ["data 1 apply 6", "send 1 fetch-changes"])
        #expect(receive(phone, after: 6, [7], request: phone.request) == ["data 1 apply 7", "data sync finished"])
        // If a server has fewer changes than it announced, the client does not request them forever.
        #expect(receive(phone, after: 8, [9]) == ["send 1 fetch-changes"])
        #expect(receive(phone, after: 10, [11]) == [])
        #expect(receive(phone, after: 7, [], request: phone.request) == ["send 1 fetch-changes"])
        #expect(receive(phone, after: 7, [], request: phone.request) == [])
    }

    @Test("C-15 ZIM-9: a missing page is requested again; a server that has nothing is not asked forever")
    func lost() {
        let phone = phone()
        phone.goOnline()
        answer(phone, .opened(position: 5))
        let first = phone.request
        #expect(phone.wait(31, answeringHeartbeats: true).contains { $0.hasSuffix("send 1 fetch-changes") })
        #expect(phone.request != first)
        #expect(receive(phone, after: 5, [6], request: first) == [])
        #expect(receive(phone, after: 5, [], isLast: false, request: phone.request) == ["data sync finished"])
        // After a reconnect, the client requests the changes after its last one again.
        receive(phone, after: 5, [6])
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        #expect(phone.accept().suffix(2) == ["data sync started", "send 2 fetch-changes"])
    }

    @Test("ZIM-9: a read is sent to the server when it is reachable, also by the next process")
    func readsAreSent() {
        let phone = synced()
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        let read = ClientCommand.call(
            LocalRequest(
                .clearConversationUnreadMessageCount, [("conversationID", "bob")], deviceMilliseconds: 77))
        phone.command(read)
        #expect(answer(phone, .answered(number: 1, LocalAnswer())) == ["keep alice ok autologin", "done 2 ok"])
        #expect(phone.kept?.unsent.changes.count == 1)
        phone.open()
        #expect(phone.accept().contains("send 2 change"))
        let request = phone.request - 1
        #expect(phone.receive(.changeAck(.ok), request: request + 100) == [])
        #expect(phone.receive(.changeAck(.ok), request: request) == ["keep alice ok autologin"])
        #expect(phone.kept?.unsent.changes.isEmpty == true)
        #expect(phone.receive(.changeAck(.ok), request: request) == [])
        // The client sends no change for a call that failed.
        phone.command(read)
        #expect(answer(phone, .answered(number: 2, LocalAnswer(.notFound))) == ["done 3 not-found"])
    }

    @Test("ZIM-3 ZIM-9: a call that needs the server fails without one, and changes nothing")
    func server() {
        let phone = synced()
        let delete = ClientCommand.call(
            LocalRequest(
                .deleteMessages,
                [("messageList", "m1"), ("conversationID", "bob"), ("isAlsoDeleteServerMessage", "true")]))
        #expect(phone.command(delete) == ["send 1 change"])
        #expect(phone.receive(.changeAck(.ok), request: phone.request) == ["done 2 ok"])
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        #expect(phone.command(delete) == ["done 3 network-unavailable"])
    }
}
