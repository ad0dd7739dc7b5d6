import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct PeerTests {
    @Test("C-11: a verdict for another user, an expired, wrong or missing one, and an unchecked secret are refused")
    func verdicts() {
        let table: [(Credential, String)] = [
            (.verdict(CredentialVerdict(.valid, user: "bob")), "wrong-credential"),
            (.verdict(CredentialVerdict(.expired, user: "alice")), "credential-expired"),
            (.verdict(CredentialVerdict(.wrong, user: "alice")), "wrong-credential"),
            (.verdict(CredentialVerdict(.missing)), "wrong-credential"), (.secret("s3cret"), "wrong-credential"),
            (.reference("token"), "wrong-credential"),
        ]
        for (credential, status) in table {
            let server = ServerTranscript(nim)
            #expect(server.login(1, "a", credential: credential) == ["1 login-ack \(status)"])
            #expect(server.machine.users == [])
        }
        var playful = nim
        playful.admitsWithoutCredential = true
        let guest = ServerTranscript(playful).login(1, "a", credential: .verdict(CredentialVerdict(.missing)))
        #expect(guest.first == "1 login-ack ok epoch=1")
        var strict = nim
        strict.makesAccounts = false
        let server = ServerTranscript(strict)
        #expect(server.login(1, "a") == ["1 login-ack wrong-credential"])
        server.command(.addAccount("alice"))
        #expect(server.login(2, "a").first == "2 login-ack ok epoch=1")
    }

    @Test("design 2: a protocol violation ends its connection with a goodbye, and affects no other")
    func violations() {
        let serverOnly: [FrameBody] = [
            .loginAck(LoginReply(.ok)), .logoutAck(.ok), .heartbeatAck, .kicked(KickNotice(reason: .server, epoch: 1)),
            .kickAck(.ok), .syncPhase(.groups, count: 0), .syncDone, .devicesChanged(.login, []), .renewTokenAck(.ok),
            .tokenNotice(expired: true, remainingMilliseconds: 0), .sendAck(.ok, id: "m"),
            .message(ChatMessage(id: "m", to: "bob", text: "")), .joinAck(.ok, channel: "c", members: []),
            .leaveAck(.ok, channel: "c"), .memberChanged(channel: "c", user: "bob", joined: true),
            .accountCallAck(.ok, []), .operationAck(.ok), .setAttributesAck(.ok), .answer(.ok, []), .watchAck(.ok),
            .operated(DeviceOperation(id: "o", kind: .contactBan, target: "bob")), .presence(user: "bob", .online),
            .treeAck(.ok, .null), .treeData(TreeData(listen: 1, path: "a", .set(.null))),
            .treeCancelled(listen: 1, .forbidden),
        ]
        for body in serverOnly + [.heartbeat, .sync, .kick(device: "")] {
            let server = ServerTranscript(nim)
            server.login(1, "web", .web)
            server.open(2)
            #expect(server.receive(2, body) == ["2 goodbye protocol-violation", "close 2"])
            #expect(server.receive(2, .heartbeat) == [])
            #expect(server.receive(1, .heartbeat) == ["1 heartbeat-ack"])
        }
        for body in serverOnly {
            let server = ServerTranscript(rtm)
            server.login(1, "b", user: "bob")
            server.login(2, "a")
            #expect(server.receive(2, body) == ["2 goodbye protocol-violation", "close 2"])
            #expect(server.devices("presence", user: "bob") == ["b online"])
        }
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        #expect(server.login(1, "a") == ["1 goodbye protocol-violation", "close 1"])
        server.open(2)
        #expect(
            server.feed(.frameUnreadable(ConnectionID(2), .notProtobuf)) == ["2 goodbye malformed-frame", "close 2"])
        server.open(3)
        #expect(server.wait(60).contains { $0.hasSuffix("3 goodbye login-overdue") })
    }

    @Test("C-14: a repeated message is stored once, and waits for its receiver until it is confirmed")
    func messages() {
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        server.command(.addAccount("bob"))
        let send = FrameBody.send(ChatMessage(id: "m", from: "mallory", to: "bob", text: "hi"))
        #expect(server.receive(1, send) == ["1 send-ack stored"])
        #expect(server.receive(1, send) == ["1 send-ack stored"])
        #expect(server.login(2, "b", user: "bob").filter { $0.contains("message") } == ["2 message alice: hi"])
        server.confirm(2, "m")
        #expect(!server.login(3, "b", user: "bob").contains { $0.contains("message") })
        #expect(server.receive(1, .send(ChatMessage(id: "n", to: "nobody", text: ""))) == ["1 send-ack not-found"])
    }

    @Test(
        "design 2: no order of inputs traps the server, and it never answers a connection that has ended",
        arguments: Array(UInt64(0)..<20))
    func storm(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let policy = [nim, rtm, zim, chat][Int(seed % 4)]
        var machine = ServerMachine(policy: policy, epochMilliseconds: seed % 8 < 4 ? .max : 1_700_000_000_000)
        var now = Instant.zero
        var live: Set<ConnectionID> = []
        for step in 0..<3000 {
            now = now + random.interval(upTo: .seconds(5))
            let id = ConnectionID(UInt32(random.below(12)))
            let device = Device(id: "d\(random.below(4))", platform: Platform.allCases[Int(random.below(12))])
            let user = "u\(random.below(3))"
            let input: ServerInput
            switch random.below(12) {
            case 0, 1:
                // The host opens each connection only once.
                guard live.insert(id).inserted else { continue }
                input = .connectionOpened(id)
            case 2:
                input = .connectionClosed(id)
                live.remove(id)
            case 3: input = .deadlineReached
            case 4: input = .frameUnreadable(id, .tooLarge)
            case 5:
                let commands: [ServerCommand] = [
                    .addAccount(user), .banAccount(user), .deleteAccount(user), .kick(user: user, device: nil),
                    .listDevices(user: user), .setPolicy(key: "exclusion", value: "single"), .shutDown,
                    .populate(user: user, [SyncAmount(.groups, Int(random.below(5)) - 1)]),
                    .passwordChanged(user: user),
                ]
                input = .command(CommandID(1), commands[Int(random.below(9))])
            case 6...8:
                let login = LoginRequest(
                    application: policy.profile, user: user, device: device,
                    mode: LoginMode.allCases[Int(random.below(6))], epoch: random.below(6),
                    credential: .verdict(
                        CredentialVerdict(
                            .valid, user: user,
                            expiresAtMilliseconds: Int64(bitPattern: random.next()) >> random.below(60))))
                input = .frameReceived(id, Frame(.login(login)))
            default:
                let bodies: [FrameBody] = [
                    .logout(keepsPush: false), .heartbeat, .kickedAck(epoch: random.below(6)), .kick(device: ""), .sync,
                    .send(ChatMessage(id: "m\(random.below(9))", to: user, text: "hi")), .join(channel: "c"),
                    .leave(channel: "c"), .goodbye(.shutdown, detail: ""), .messageAck(id: "m1"), .syncDone,
                    .send(ChatMessage(id: "c\(random.below(9))", to: "c", text: "hi", isToChannel: true)),
                    .watch(user: user, isOn: random.below(3) > 0), .ask(.members(channel: "c")),
                    .setAttributes(channel: random.below(2) == 0 ? "" : "c", [AnswerField(name: "a", value: "b")]),
                    .operation(DeviceOperation(id: "o\(random.below(9))", kind: .contactBan, target: user)),
                    .operatedAck(id: "o1"), .tree(.set(path: "a", .bool(true))),
                    .renewToken(.verdict(CredentialVerdict(.valid, user: user, expiresAtMilliseconds: 1 << 40))),
                ]
                input = .frameReceived(id, Frame(bodies[Int(random.below(19))]))
            }
            for effect in machine.handle(input, at: now) {
                switch effect {
                case .send(let to, _):
                    if !live.contains(to) { Issue.record("seed \(seed), step \(step): \(describe(effect))") }
                case .close(let closed): live.remove(closed)
                case .complete, .presence: break
                }
            }
        }
    }
}
