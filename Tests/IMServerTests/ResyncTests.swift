import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of data in frames that were lost on a live connection. The server sends it again over the same connection
/// (C-15).
@Suite struct ResyncTests {
    private func frames(_ effects: [ServerEffect]) -> [Frame] {
        effects.compactMap { if case .send(_, let frame) = $0 { frame } else { nil } }
    }

    @Test("C-15: the answer to a heartbeat contains the number of frames sent before it")
    func heartbeatAnswer() {
        let server = ServerTranscript(nim)
        server.login(1, "a", .ios)
        #expect(frames(server.effects(of: 1, Frame(.heartbeat))).first?.checksum == nil)
        server.login(2, "b", .windows)
        var checksum = FrameChecksum()
        checksum.add(Frame(.devicesChanged(.login, [Device(id: "b", platform: .windows)])))
        #expect(frames(server.effects(of: 1, Frame(.heartbeat))) == [Frame(.heartbeatAck, checksum: checksum)])
        #expect(frames(server.effects(of: 2, Frame(.heartbeat))).first?.checksum == nil)
    }

    @Test("C-15: a resync returns the other devices, the watched users and the waiting messages, each counted")
    func resyncAnswer() {
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        server.receive(1, .watch(user: "bob", isOn: true))
        server.login(2, "b", user: "bob")
        server.receive(2, .send(ChatMessage(id: "m", to: "alice", text: "hi")))
        let found = frames(server.effects(of: 1, Frame(request: 9, .resync)))
        #expect(found.map(\.body.name) == ["resync-ack", "presence", "message"])
        #expect(found.first?.request == 9 && found.first?.checksum?.count == 3)
        #expect(frames(server.effects(of: 1, Frame(.heartbeat))).first?.checksum?.count == 5)
    }

    @Test("C-15 C-14: a lost confirmation is requested again at the heartbeat, once")
    func unconfirmed() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.receive(2, .send(ChatMessage(id: "m", to: "alice", text: "hi")))
        var checksum = FrameChecksum()
        checksum.add(Frame(.messageAck(id: "m", number: server.number(1, "m"))))
        // The lost frame was sent before this heartbeat.
        #expect(
            frames(server.effects(of: 1, Frame(.heartbeat, checksum: checksum))).map(\.body.name) == [
                "heartbeat-ack", "message",
            ])
        #expect(
            frames(server.effects(of: 1, Frame(.heartbeat, checksum: checksum))).map(\.body.name) == ["heartbeat-ack"])
        let again = FrameBody.messageAck(id: "m", number: server.number(1, "m"))
        server.receive(1, again)
        checksum.add(Frame(again))
        #expect(
            frames(server.effects(of: 1, Frame(.heartbeat, checksum: checksum))).map(\.body.name) == ["heartbeat-ack"])
        #expect(!server.login(3, "a").contains { $0.contains("message") })
    }
}
