import IMClient
import IMProtocol
import SansIO
import Testing

/// Tests of data in frames that the network lost: the client requests it again over the same connection (C-15).
@Suite struct ResyncTests {
    private let pad = Device(id: "pad", platform: .ios)
    private let tv = Device(id: "tv", platform: .web)

    /// Answers a heartbeat as a server that has sent these frames.
    private func answerHeartbeat(_ phone: ClientTranscript, after frames: [FrameBody]) -> [String] {
        var checksum = FrameChecksum()
        for body in frames { checksum.add(Frame(body)) }
        return phone.feed(.frameReceived(phone.link, Frame(.heartbeatAck, checksum: checksum)))
    }

    @Test(
        "C-15 NIM-13: a lost change of the devices is requested at the next heartbeat over the same link, and reported once"
    )
    func devices() {
        let phone = ClientPhase.online.transcript(nim)
        let (login, logout) = (FrameBody.devicesChanged(.login, [pad]), FrameBody.devicesChanged(.login, [tv]))
        phone.receive(login)
        #expect(answerHeartbeat(phone, after: [login]) == [])
        #expect(answerHeartbeat(phone, after: [login, logout]) == ["send 1 resync"])
        let request = phone.request
        // Another heartbeat is answered before the resync. The first request may be lost, so the client sends it again.
        #expect(answerHeartbeat(phone, after: [login, logout]) == ["send 1 resync"])
        #expect(phone.receive(.resyncAck([]), request: request) == [])
        var checksum = FrameChecksum()
        for body in [login, logout] { checksum.add(Frame(body)) }
        let answer = Frame(request: phone.request, .resyncAck([tv]), checksum: checksum)
        #expect(
            phone.feed(.frameReceived(phone.link, answer)) == ["devices logout pad", "devices login tv"])
        #expect(phone.list(.devices) == ["tv web "])
        #expect(answerHeartbeat(phone, after: [login, logout]) == [])
        #expect(phone.feed(.frameReceived(phone.link, answer)) == [])
    }

    @Test("C-15: a repeated frame is not reported again, and an answer without a checksum is ignored")
    func repeatedFrame() {
        let phone = ClientPhase.online.transcript(nim)
        let login = FrameBody.devicesChanged(.login, [pad])
        phone.receive(login)
        #expect(phone.feed(.frameReceived(phone.link, Frame(login))) == [])
        #expect(phone.list(.devices) == ["pad ios "])
        #expect(phone.receive(.heartbeatAck) == [])
        #expect(answerHeartbeat(phone, after: [login]) == [])
    }

    @Test("C-15 SYNC-10: every listen of the tree is sent again")
    func tree() {
        let phone = ClientTranscript(TreeTranscript.policy)
        phone.command(.tree(.listen(path: "a"), clock: TokenClock()))
        phone.open()
        phone.accept()
        let data = FrameBody.treeData(TreeData(listen: 1, path: "a", .set(.number(1))))
        #expect(phone.receive(data) == ["a is 1"])
        phone.receive(.treeAck(.ok, .null), request: phone.request)
        var checksum = FrameChecksum()
        checksum.add(Frame(data))
        checksum.add(Frame(request: phone.request, .treeAck(.ok, .null)))
        #expect(phone.feed(.frameReceived(phone.link, Frame(.heartbeatAck, checksum: checksum))) == [])
        checksum.add(Frame(.treeData(TreeData(listen: 1, path: "a", .set(.number(2))))))
        #expect(phone.feed(.frameReceived(phone.link, Frame(.heartbeatAck, checksum: checksum))) == ["send 1 resync"])
        let answer = Frame(request: phone.request, .resyncAck([]), checksum: checksum)
        #expect(phone.feed(.frameReceived(phone.link, answer)) == ["send 1 tree"])
        #expect(phone.receive(.treeData(TreeData(listen: 1, path: "a", .set(.number(2))))) == ["a is 2"])
        #expect(phone.receive(.treeAck(.ok, .null), request: phone.request) == [])
    }

    @Test("C-15 C-14: a heartbeat contains the number of confirmed frames before it")
    func confirmed() {
        let phone = ClientPhase.online.transcript(zim)
        #expect(phone.lastChecksum == nil)
        phone.receive(.message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi", number: 5)))
        phone.wait(10)
        var checksum = FrameChecksum()
        checksum.add(Frame(.messageAck(id: "m", number: 5)))
        #expect(phone.lastChecksum == checksum)
    }

    @Test("C-15 CHAT-12: a sync that does not end is requested again after each time limit")
    func sync() {
        let phone = ClientPhase.online.transcript(chat)
        let limit = phone.machine.policy.requestTimeLimit.inSeconds
        #expect(phone.wait(limit, answeringHeartbeats: true) == ["\(Int(limit))s send 1 sync"])
        phone.receive(.syncDone)
        #expect(!phone.wait(60, answeringHeartbeats: true).contains { $0.hasSuffix("sync") })
    }
}
