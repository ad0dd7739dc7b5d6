import IMClient
import IMProtocol
import SansIO
import Testing

/// The wall clock at the start of the tests, in milliseconds since 1970.
private let noon: Int64 = 1_700_000_000_000

/// The policy of a system that only reports an expired token, with a warning before the expiry.
private let warned: ClientPolicy = {
    var policy = rtm
    policy.tokenWarning = .before(.seconds(30))
    return policy
}()

extension ClientTranscript {
    /// The current time of a correct wall clock, in milliseconds since 1970.
    fileprivate var wall: Int64 { noon + (now - .zero).inMilliseconds }

    /// Accepts the login, with a token that is valid for this number of seconds.
    @discardableResult
    fileprivate func accept(tokenFor seconds: Int64) -> [String] {
        accept(expiresAt: wall + seconds * 1000, serverTime: wall)
    }

    fileprivate func goOnline(tokenFor seconds: Int64) {
        login()
        open()
        accept(tokenFor: seconds)
    }

    /// Advances the time, and returns only the lines about tokens and states.
    fileprivate func watch(_ seconds: Double) -> [String] {
        wait(seconds, answeringHeartbeats: true).filter { $0.contains("token") || $0.contains(">") }
    }
}

@Suite struct TokenExpiryTests {
    @Test("ZIM-6: the app is notified 30 s before the token expires, and the expiry ends the login")
    func warnedAndEnded() {
        let phone = ClientTranscript(zim)
        phone.goOnline(tokenFor: 100)
        #expect(
            phone.wait(99.9, answeringHeartbeats: true).filter { $0.contains("token") } == [
                "70s token-will-expire 30000"
            ])
        #expect(
            phone.wait(0.1).filter { !$0.hasSuffix("heartbeat") } == [
                "0.1s close 1", "0.1s keep alice credential-expired", "0.1s online > token-expired (token-expired)",
                "0.1s token-expired",
            ])
        #expect(phone.state == .tokenExpired)
        #expect(phone.machine.nextDeadline == nil && !phone.machine.isDataOpen)
        #expect(phone.feed(.networkChanged(.up)) == [] && phone.feed(.appChanged(.foreground)) == [])
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["done 2 not-logged-in"])
    }

    @Test("CHAT-10: the app is notified at 80 % of the token's life")
    func warnedByShare() {
        let phone = ClientTranscript(chat)
        phone.goOnline(tokenFor: 1000)
        #expect(
            phone.watch(1001) == [
                "800s token-will-expire 200000", "1000s online > token-expired (token-expired)", "1000s token-expired",
            ])
    }

    @Test("ZIM-6: a token with less than 30 s is reported at once, once; one without an expiry never")
    func shortAndEndless() {
        let short = ClientTranscript(zim)
        short.goOnline(tokenFor: 20)
        #expect(short.watch(19) == ["0s token-will-expire 20000"])
        let endless = ClientTranscript(zim)
        endless.login()
        endless.open()
        endless.accept(serverTime: noon)
        #expect(endless.watch(100_000) == [])
        // Without the server's time and the device's clock, the client cannot determine the expiry.
        let blind = ClientTranscript(zim)
        blind.login()
        blind.open()
        blind.accept(expiresAt: noon)
        #expect(blind.watch(100) == [])
    }

    @Test(
        "C-10: a late server answer does not move the time back; a changed clock does",
        arguments: [(Int64(20), "55s token-will-expire 30000"), (3600, "3655s token-will-expire 30000")])
    func lateWord(_ late: Int64, _ warning: String) {
        let phone = ClientTranscript(zim)
        phone.goOnline(tokenFor: 100)
        phone.wait(15, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        phone.accept(expiresAt: phone.wall + 85_000, serverTime: phone.wall - late * 1000)
        #expect(phone.watch(3690).first == warning)
    }

    @Test("RTM-5: in systems that only report the expiry, an expired token changes no state and a live link continues")
    func reportedOnly() {
        let phone = ClientTranscript(warned)
        phone.goOnline(tokenFor: 100)
        #expect(phone.watch(3600) == ["70s token-will-expire 30000", "100s token-expired"])
        #expect(phone.state == .online)
        #expect(phone.receive(.tokenNotice(expired: true, remainingMilliseconds: 0)) == [])
    }

    /// A client whose token expires 20 s after the login. It is in a phase of a broken connection.
    private func broken(_ policy: ClientPolicy, _ phase: ClientPhase) -> ClientTranscript {
        let phone = ClientTranscript(policy)
        phone.goOnline(tokenFor: 20)
        phone.wait(15, answeringHeartbeats: true)
        phone.drop()
        if phase == .waiting { phone.fail() }
        if phase == .reauthenticating { phone.open() }
        return phone
    }

    @Test(
        "ZIM-6: the expiry ends the login while a link is opened, used or awaited, without a retry",
        arguments: [ClientPhase.relinking, .reauthenticating, .waiting])
    func endedInEveryPhase(_ phase: ClientPhase) {
        let phone = broken(zim, phase)
        phone.command(.send(to: "bob", text: "hi"))
        let lines = phone.wait(100)
        #expect(
            lines.suffix(3).map { $0.dropFirst(3) } == [
                "reconnecting > token-expired (token-expired)", "token-expired", "done 2 credential-expired",
            ])
        #expect(lines.last?.hasPrefix("5s") == true)
        #expect(phone.links == [] && phone.machine.nextDeadline == nil && phone.incomplete == [])
        for input in [ClientInput.networkChanged(.up), .appChanged(.foreground), .deadlineReached] {
            #expect(phone.feed(input) == [])
        }
    }

    @Test(
        "RTM-5: in systems that only report the expiry, a reconnecting client reports it once, without using the token",
        arguments: [ClientPhase.relinking, .reauthenticating, .waiting])
    func reportedInEveryPhase(_ phase: ClientPhase) {
        let phone = broken(rtm, phase)
        let lines = phone.wait(5)
        #expect(
            lines.filter { $0.contains("token") || $0.contains(">") } == [
                "4s online > reconnecting (interrupted)", "5s token-expired",
            ])
        // The running attempt ends, and no other attempt follows.
        if phase == .reauthenticating { phone.refuse(.credentialExpired) } else { phone.fail() }
        #expect(phone.wait(3600) == [])
        for input in [ClientInput.networkChanged(.up), .networkChanged(.switched), .appChanged(.foreground)] {
            #expect(phone.feed(input) == [])
        }
        #expect(phone.state == .reconnecting && phone.links == [])
    }

    @Test("RTM-5: a link that breaks after the expiry is not reconnected with the token")
    func brokenAfterTheEnd() {
        let phone = ClientTranscript(rtm)
        phone.goOnline(tokenFor: 20)
        phone.wait(25, answeringHeartbeats: true)
        #expect(phone.drop() == [])
        #expect(phone.wait(3600) == ["4s online > reconnecting (interrupted)"])
    }

    @Test("C-1 ZIM-6: an expiry during the logout completes the logout and is not reported")
    func endsWhileLeaving() {
        for policy in [zim, rtm] {
            let phone = ClientTranscript(policy)
            phone.goOnline(tokenFor: 20)
            phone.logout()
            // The logout has cancelled the timers of the token.
            #expect(!phone.wait(1).contains { $0.contains("token") })
            let lines = phone.receive(.tokenNotice(expired: true, remainingMilliseconds: 0))
            if policy.tokenExpiryEndsLogin {
                #expect(
                    lines == ["close 1", "keep alice credential-expired", "online > logged-out (logout)", "done 2 ok"])
            }
            phone.wait(10)
            #expect(phone.state == .loggedOut && phone.incomplete == [] && phone.machine.nextDeadline == nil)
        }
    }

    @Test("C-4: no token timer fires after a logout", arguments: ClientPhase.withLogin)
    func nothingAfterLogout(_ phase: ClientPhase) {
        for policy in [zim, chat, warned] {
            let phone = phase.transcript(policy)
            phone.accept(tokenFor: 100)
            phone.command(.logout(keepsPush: true))
            phone.wait(3)
            #expect(phone.state == .loggedOut)
            #expect(phone.wait(1000) == [])
        }
    }

    @Test("C-11 ZIM-6: a token that the server finds expired is not retried, and is not reported as wrong")
    func refusedAsExpired() {
        // At the first login, the command fails.
        for policy in [zim, rtm] {
            let first = ClientPhase.authenticating.transcript(policy)
            #expect(
                first.refuse(.credentialExpired).suffix(2)
                    == ["connecting > logged-out (credential-refused)", "done 1 credential-expired"])
            #expect(first.wait(3600) == [])
        }
        // At a reconnect, each system reports the expiry in its own way.
        let ended = ClientPhase.reauthenticating.transcript(zim)
        #expect(
            ended.refuse(.credentialExpired) == [
                "close 2", "keep alice credential-expired", "reconnecting > token-expired (token-expired)",
                "token-expired",
            ])
        #expect(ended.wait(3600) == [])
        let reporting = ClientPhase.reauthenticating.transcript(rtm)
        reporting.wait(5)
        #expect(reporting.refuse(.credentialExpired).suffix(1) == ["token-expired"])
        #expect(reporting.wait(3600) == [])
        #expect(reporting.feed(.networkChanged(.up)) == [])
    }

    @Test("ZIM-6: after the expiry another login works, and so does a logout; a renewal is too late")
    func afterTheEnd() {
        let phone = ClientPhase.tokenExpired.transcript(zim)
        #expect(phone.state == .tokenExpired)
        #expect(phone.command(.renewToken(credential: "next")) == ["done 2 not-logged-in"])
        let again = ClientTranscript(copy: phone)
        #expect(again.login() == ["token-expired > connecting (login)", "connect 2"])
        #expect(phone.logout() == ["token-expired > logged-out (logout)", "done 3 ok"])
    }
}

@Suite struct TokenClockTests {
    @Test("C-10: once the server's time is known, a change of the device's clock has no effect")
    func serverTimeKnown() {
        for jump in [Interval.seconds(3600), .seconds(-3600), .nanoseconds(.max), .nanoseconds(.min)] {
            let phone = ClientTranscript(zim)
            phone.goOnline(tokenFor: 100)
            // A changed clock only makes the SDK probe its connection.
            #expect(phone.feed(.appChanged(.clockSet(by: jump))) == ["send 1 heartbeat"])
            phone.receive(.heartbeatAck)
            #expect(phone.watch(101).first == "70s token-will-expire 30000")
            #expect(phone.watch(0) == [] && phone.state == .tokenExpired)
        }
    }

    /// A client with an offline login, which uses the device's clock.
    private func offline(tokenFor seconds: Int64) -> ClientTranscript {
        let local = LocalData(lastUser: "alice", credentialReference: "token", lastEpoch: 1)
        var policy = zim
        policy.retryJitterPerMille = 0
        let phone = ClientTranscript(policy, local: local)
        phone.login("alice", .offline, expiresAt: noon + seconds * 1000, deviceClock: noon)
        phone.fail()
        return phone
    }

    @Test("C-10 ZIM-1: before the server's time is known, a change of the device's clock moves the expiry")
    func serverTimeUnknown() {
        func end(_ jump: Int64) -> Double {
            let phone = offline(tokenFor: 1000)
            phone.feed(.appChanged(.clockSet(by: .seconds(jump))))
            let start = phone.now
            while phone.state != .tokenExpired, let next = phone.machine.nextDeadline {
                phone.wait((next - phone.now).inSeconds)
                if !phone.links.isEmpty { phone.fail() }
            }
            return (phone.now - start).inSeconds
        }
        #expect(end(0) == 1000)
        #expect(end(400) == 600)
        #expect(end(-400) == 1400)
        #expect(end(5000) == 0)
    }

    @Test("C-10 S-13: the server's time corrects an expiry that a wrong device clock caused")
    func correctedByTheServer() {
        let phone = offline(tokenFor: 1000)
        phone.wait(1.5)
        phone.open()
        // The device's clock was half an hour slow. By the server's time, the token is valid for 100 s.
        phone.accept(expiresAt: noon + 1_000_000, serverTime: noon + 900_000)
        #expect(phone.watch(101).map { $0.split(separator: " ")[0] } == ["70s", "100s", "100s"])
    }

    @Test("C-10 C-11: the device's clock does not end a login that the server has not checked yet")
    func manualLoginWithWrongClock() {
        let phone = ClientTranscript(zim)
        phone.login("alice", expiresAt: noon, deviceClock: noon + 3_600_000)
        #expect(phone.wait(1) == [])
        phone.open()
        #expect(phone.accept(tokenFor: 100).last == "done 1 ok")
        #expect(phone.watch(69) == [])
    }

    @Test("design 2: extreme clocks and expiries do not trap")
    func extremeClocks() {
        for expiry in [Int64.min, -1, 1, .max] {
            for clock in [Int64.min, -1, 1, .max] {
                let phone = offline(tokenFor: 1000)
                phone.wait(2)
                phone.open()
                phone.accept(expiresAt: expiry, serverTime: clock)
                phone.feed(.appChanged(.clockSet(by: .nanoseconds(.min))))
                phone.feed(.deadlineReached)
                let other = ClientTranscript(zim, local: phone.machine.local, at: .distantFuture)
                other.login("alice", .offline, expiresAt: expiry, deviceClock: clock)
                other.feed(.deadlineReached)
            }
        }
    }
}
