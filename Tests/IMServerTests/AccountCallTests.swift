import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of admin calls at the server: listing and kicking devices with a credential, without a login (CHAT-6).
@Suite struct ServerAccountCallTests {
    private func valid(_ user: String = "alice") -> Credential { .verdict(CredentialVerdict(.valid, user: user)) }

    @discardableResult
    private func call(
        _ server: ServerTranscript, _ id: UInt32, _ action: AccountCall.Action = .listDevices, user: String = "alice",
        application: String = "agora-chat", credential: Credential? = nil
    ) -> [String] {
        let credential = credential ?? valid(user)
        return server.receive(
            id,
            .accountCall(AccountCall(application: application, user: user, credential: credential, action: action)))
    }

    /// The server's last answer over a connection as text, such as `ok a b`.
    private func answer(_ server: ServerTranscript, _ id: UInt32) -> String {
        guard case .accountCallAck(let status, let devices)? = server.last[id] else { return "no answer" }
        return ([status.name] + devices.map(\.id)).joined(separator: " ")
    }

    private func outcome(
        _ server: ServerTranscript, _ id: UInt32, _ action: AccountCall.Action = .listDevices, user: String = "alice",
        application: String = "agora-chat", credential: Credential? = nil
    ) -> String {
        call(server, id, action, user: user, application: application, credential: credential)
        return answer(server, id)
    }

    private func twoDevices() -> ServerTranscript {
        let server = ServerTranscript(chat)
        server.login(1, "a")
        server.login(2, "b", .android)
        server.open(9)
        return server
    }

    @Test("CHAT-6: a call without a login is answered with the logged-in devices, and logs nobody in")
    func list() {
        let server = twoDevices()
        #expect(call(server, 9) == ["9 account-call-ack"])
        #expect(answer(server, 9) == "ok a b")
        #expect(server.devices("presence") == ["a online", "b online"])
        // The call does not change the connection: it may make another call or log in.
        #expect(outcome(server, 9) == "ok a b")
        #expect(server.login(9, "c", .web).first == "9 login-ack ok epoch=3")
        #expect(outcome(server, 9) == "ok a b c")
        // Devices that have logged out, were kicked or were removed are not in the list (CHAT-3).
        server.receive(1, .logout(keepsPush: false))
        server.command(.kick(user: "alice", device: "b"))
        #expect(outcome(server, 9) == "ok c")
        server.login(4, "d", .macos)
        server.close(4)
        #expect(outcome(server, 9) == "ok c")
    }

    @Test("CHAT-6: a connection that only made a call is not kept")
    func overdue() {
        let server = twoDevices()
        server.wait(20)
        call(server, 9)
        #expect(server.wait(10).suffix(2) == ["10000ms 9 goodbye login-overdue", "10000ms close 9"])
    }

    @Test("CHAT-6 CHAT-5: the answer contains names and platforms")
    func deviceFields() {
        let server = ServerTranscript(chat)
        server.open(1)
        let device = Device(id: "a", platform: .ipad, name: "Anna's pad", osType: 60, ext: "kitchen")
        let login = LoginRequest(
            application: "agora-chat", user: "alice", device: device, mode: .manual, epoch: 0, credential: valid())
        server.receive(1, .login(login))
        server.open(9)
        call(server, 9)
        #expect(server.last[9] == .accountCallAck(.ok, [device]))
    }

    @Test("CHAT-6: the credential is checked as at a login, and the answer does not show which users exist")
    func credentials() {
        let server = twoDevices()
        let cases: [(Credential, String)] = [
            (.verdict(CredentialVerdict(.wrong)), "wrong-credential"),
            (.verdict(CredentialVerdict(.missing)), "wrong-credential"),
            (.verdict(CredentialVerdict(.expired, user: "alice")), "credential-expired"),
            (valid("bob"), "wrong-credential"), (.reference("token-of-alice"), "wrong-credential"),
            (.secret("s3cret"), "wrong-credential"),
        ]
        for (credential, status) in cases {
            for action in [AccountCall.Action.listDevices, .kick(device: "a"), .kickAll] {
                #expect(outcome(server, 9, action, credential: credential) == status)
            }
        }
        #expect(outcome(server, 9, application: "nim") == "wrong-credential")
        #expect(
            outcome(server, 9, user: "nobody", credential: .verdict(CredentialVerdict(.wrong))) == "wrong-credential")
        #expect(server.devices("presence") == ["a online", "b online"])
        // Only with a valid credential, the answer may show that an account does not exist.
        #expect(outcome(server, 9, user: "nobody") == "not-found")
        #expect(server.machine.users == ["alice"])
        server.command(.banAccount("alice"))
        #expect(outcome(server, 9) == "banned")
    }

    @Test(
        "CHAT-6 C-8: a kick ends only the named login, as a kick by another device; an unknown device is not found")
    func kick() {
        let server = twoDevices()
        #expect(
            call(server, 9, .kick(device: "a")) == [
                "9 account-call-ack", "alice/a kicked", "2 devices logout a", "1 kicked other-device epoch=1 by -",
            ])
        #expect(answer(server, 9) == "ok")
        #expect(server.devices("presence") == ["a logged-out", "b online"])
        for device in ["a", "nobody", ""] { #expect(outcome(server, 9, .kick(device: device)) == "not-found") }
        // A call for one account must not affect another user's device.
        server.login(3, "c", user: "bob")
        #expect(outcome(server, 9, .kick(device: "c")) == "not-found")
    }

    @Test("CHAT-6 C-7: a kick of all devices includes those that are away: each gets it at its next contact")
    func kickAll() {
        let server = twoDevices()
        server.login(3, "c", .web)
        server.close(3)
        #expect(server.devices("presence") == ["a online", "b online", "c away"])
        #expect(
            call(server, 9, .kickAll).filter { $0.contains("kicked ") } == [
                "1 kicked other-device epoch=1 by -", "2 kicked other-device epoch=2 by -",
            ])
        #expect(server.devices("undelivered-kick") == ["a other-device", "b other-device", "c other-device"])
        #expect(server.login(4, "c", .web, .resume, epoch: 3) == ["4 kicked other-device epoch=3 by -"])
        #expect(server.login(5, "c", .web, .automatic, epoch: 3) == ["5 kicked other-device epoch=3 by -"])
        server.receive(5, .kickedAck(epoch: 3))
        #expect(server.login(6, "c", .web).first == "6 login-ack ok epoch=4")
        // A kick of all devices succeeds if there is no device.
        server.receive(6, .logout(keepsPush: false))
        #expect(call(server, 9, .kickAll) == ["9 account-call-ack"])
    }

    @Test("CHAT-6: one device that is away can be kicked too")
    func kickAway() {
        let server = twoDevices()
        server.close(1)
        #expect(call(server, 9, .kick(device: "a")) == ["9 account-call-ack"])
        #expect(answer(server, 9) == "ok")
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 kicked other-device epoch=1 by -"])
    }

    @Test("CHAT-6: a device that kicks itself gets the answer first")
    func kickOneself() {
        let server = twoDevices()
        #expect(
            call(server, 1, .kick(device: "a")).filter { $0.hasPrefix("1 ") } == [
                "1 account-call-ack", "1 kicked other-device epoch=1 by -",
            ])
    }

    @Test("CHAT-6: a server without such calls refuses them, and the connection stays")
    func unsupported() {
        for policy in [nim, rtm, zim] {
            let server = ServerTranscript(policy)
            server.login(1, "a")
            server.open(9)
            #expect(outcome(server, 9, .kickAll, application: policy.profile) == "unsupported")
            #expect(outcome(server, 1, .kickAll, application: policy.profile) == "unsupported")
            #expect(server.devices("presence") == ["a online"])
        }
    }
}
