import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct SyncTests {
    private func populate(_ server: ServerTranscript, _ amounts: SyncAmount...) -> [String] {
        server.command(.populate(user: "alice", amounts))
    }

    /// A policy under which the server stores its users' data and sends it in a sync.
    private let withData: ServerPolicy = {
        var policy = nim
        policy.hasUserData = true
        policy.syncBringsData = true
        return policy
    }()

    @Test("NIM-14: the four phases come in order, each once, with the waiting messages, and then the end")
    func phases() {
        let server = ServerTranscript(withData)
        server.command(.addAccount("alice"))
        server.login(2, "b", user: "bob")
        server.receive(2, .send(ChatMessage(id: "m", to: "alice", text: "hi")))
        #expect(populate(server, SyncAmount(.groups, 2), SyncAmount(.systemNotifications, 1)) == ["done ok"])
        #expect(server.login(1, "a") == ["1 login-ack ok epoch=1", "alice/a online"])
        let groups = "1 groups 2 groups-1,groups-2"
        let rest = [
            "1 roaming-messages 0 ", "1 system-notifications 1 system-notifications-1", "1 sync-done",
        ]
        // The message is sent until it is confirmed, and the other items as long as they exist.
        for _ in 0..<2 {
            let sync = [groups, "1 offline-messages 1 ", "1 message bob: hi"] + rest
            #expect(server.receive(1, .sync) == sync)
        }
        server.confirm(1, "m")
        let sync = [groups, "1 offline-messages 0 "] + rest
        #expect(server.receive(1, .sync) == sync)
        // A device that logs in later gets the same items. The message is in its list of messages that another device
        // has received.
        server.login(3, "web", .web)
        let later = sync.map { "3" + $0.dropFirst() }.map {
            $0 == "3 roaming-messages 0 " ? "3 roaming-messages 1 bob/m" : $0
        }
        #expect(server.receive(3, .sync) == later)
    }

    @Test("NIM-14 CHAT-12: confirmed items are never sent again")
    func confirmed() {
        let server = ServerTranscript(nim)
        server.command(.addAccount("alice"))
        _ = populate(server, SyncAmount(.groups, 250))
        server.login(1, "a")
        server.receive(1, .sync)
        guard case .syncDone? = server.last[1] else { return #expect(Bool(false), "no end of the sync") }
        let first = UInt64(ServerTranscript.noon) * 1000 + (1 << 52) + 1
        // The confirmation of the second of three parts is lost.
        server.receive(1, .syncAck(.groups, first: first, last: first + 99))
        server.receive(1, .syncAck(.groups, first: first + 200, last: .max))
        server.receive(1, .syncAck(.roamingMessages, first: 0, last: .max))
        #expect(server.receive(1, .sync).first?.hasPrefix("1 groups 100 groups-101,groups-102,") == true)
        server.receive(1, .syncAck(.groups, first: first + 100, last: first + 199))
        #expect(server.receive(1, .sync).first == "1 groups 0 ")
        _ = populate(server, SyncAmount(.groups, 1))
        server.restart()
        server.login(2, "a")
        #expect(server.receive(2, .sync).first == "2 groups 1 groups-251")
        server.login(3, "web", .web)
        #expect(server.receive(3, .sync).first?.hasPrefix("3 groups 251 groups-1,") == true)
    }

    @Test("NIM-14: additional items are numbered after the existing ones, so that nothing is sent again")
    func ids() {
        let server = ServerTranscript(nim)
        server.command(.addAccount("alice"))
        _ = populate(server, SyncAmount(.groups, 2))
        _ = populate(server, SyncAmount(.groups, 1), SyncAmount(.groups, 1))
        server.login(1, "a")
        #expect(server.receive(1, .sync).first == "1 groups 4 groups-1,groups-2,groups-3,groups-4")
    }

    @Test("design 2: 1000 items of a phase, for existing accounts; a refused command adds nothing")
    func limits() {
        let server = ServerTranscript(nim)
        #expect(populate(server, SyncAmount(.groups, 1)) == ["done not-found"])
        server.command(.addAccount("alice"))
        #expect(populate(server, SyncAmount(.offlineMessages, 5), SyncAmount(.groups, 1001)) == ["done limit-exceeded"])
        #expect(populate(server, SyncAmount(.groups, -1)) == ["done limit-exceeded"])
        #expect(populate(server, SyncAmount(.groups, .max)) == ["done limit-exceeded"])
        server.login(1, "a")
        #expect(server.receive(1, .sync).prefix(2) == ["1 groups 0 ", "1 offline-messages 0 "])
        #expect(populate(server, SyncAmount(.groups, 999)) == ["done ok"])
        #expect(populate(server, SyncAmount(.groups, 2)) == ["done limit-exceeded"])
        #expect(populate(server, SyncAmount(.groups, 1)) == ["done ok"])
    }

    @Test("design 2: the longest sync fits into frames, with any user name")
    func fitsIntoFrames() throws {
        let user = String(repeating: "n", count: ProtocolLimit.nameBytesMax)
        let server = ServerTranscript(nim)
        server.command(.addAccount(user))
        server.command(.populate(user: user, [SyncAmount(.systemNotifications, 1000)]))
        server.login(1, "a", user: user)
        var machine = server.machine
        var ids: [String] = []
        for effect in machine.handle(.frameReceived(ConnectionID(1), Frame(.sync)), at: .zero) {
            guard case .send(_, let frame) = effect else { continue }
            #expect(try Frame(bytes: frame.bytes()) == frame)
            if case .syncPhase(_, let count, let items) = frame.body, !items.isEmpty {
                #expect(count == 1000)
                ids += items.map(\.id)
            }
        }
        #expect(ids == (1...1000).map { "system-notifications-\($0)" })
    }
}
