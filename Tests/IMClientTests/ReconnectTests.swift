import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct ReconnectTests {
    /// The seconds between the attempts of a client, each of whose connections fails.
    private func waits(_ phone: ClientTranscript, attempts: Int) -> [Double] {
        var waits: [Double] = []
        for _ in 0..<attempts {
            let before = phone.now
            guard let next = phone.machine.nextDeadline else { break }
            phone.wait((next - before).inSeconds)
            waits.append((phone.now - before).inSeconds)
            phone.fail()
        }
        return waits
    }

    @Test("C-9 NIM-5: the delays are 2, 4, 6, 8, 16, 32, 64 s and then 64 s")
    func backoff() {
        let phone = ClientPhase.retryingAutologin.transcript(nim)
        #expect(waits(phone, attempts: 10) == [2, 4, 6, 8, 16, 32, 64, 64, 64, 64])
        #expect(phone.state == .offline)
        #expect(phone.incomplete == [1])
    }

    @Test("C-9: an open link does not reset the delays, a completed login does")
    func backoffReset() {
        let phone = ClientPhase.retryingAutologin.transcript(nim)
        #expect(waits(phone, attempts: 3) == [2, 4, 6])
        phone.wait(8)
        phone.open()
        phone.drop()
        #expect(waits(phone, attempts: 1) == [16])
        phone.wait(32)
        phone.open()
        phone.refuse(.serverError)
        phone.wait(64)
        phone.succeed()
        #expect(phone.state == .online)
        phone.drop()
        #expect(waits(phone, attempts: 2) == [2, 4])
    }

    @Test("C-9: network up, a switch and the foreground cause an attempt at once, only during a delay")
    func triesAtOnce() {
        for input in [ClientInput.networkChanged(.up), .networkChanged(.switched), .appChanged(.foreground)] {
            let phone = ClientPhase.waiting.transcript(nim)
            phone.wait(1)
            #expect(phone.feed(input).suffix(2) == ["step linking", "connect 2"])
            phone.open()
            #expect(!phone.feed(input).contains { $0.hasPrefix("connect") })
            phone.drop()
            #expect(!phone.feed(.networkChanged(.down)).contains { $0.hasPrefix("connect") })
        }
        #expect(ClientPhase.online.transcript(nim).feed(.networkChanged(.up)) == [])
    }

    @Test("C-9: the jitter depends only on the seed, and stays within its limit")
    func jitter() {
        var seen: Set<[Double]> = []
        for seed in UInt64(0)..<20 {
            func run() -> [Double] {
                let phone = ClientTranscript(rtm, seed: seed)
                phone.goOnline()
                phone.drop()
                return (0..<5).map { _ in
                    let before = phone.now
                    while !phone.links.contains(phone.link), let next = phone.machine.nextDeadline {
                        phone.wait((next - phone.now).inSeconds + 0.001)
                    }
                    phone.fail()
                    return (phone.now - before).inSeconds
                }
            }
            let waits = run()
            #expect(waits == run())
            for (wait, base) in zip(waits, [1.0, 2, 4, 8, 8]) { #expect(wait >= base && wait <= base * 1.2 + 0.01) }
            seen.insert(waits)
        }
        #expect(seen.count > 15)
    }

    @Test("NIM-5: the app's delays replace the policy's, an empty list restores them, invalid ones are refused")
    func ownDelays() {
        let phone = ClientTranscript(nim)
        #expect(phone.command(.setOption(.retryDelays([.seconds(1), .seconds(3)]))) == ["done 1 ok"])
        #expect(phone.command(.setOption(.retryDelays([.zero]))) == ["done 2 invalid-argument"])
        #expect(phone.command(.setOption(.retryCountMax(-1))) == ["done 3 invalid-argument"])
        phone.goOnline()
        phone.drop()
        #expect(waits(phone, attempts: 3) == [1, 3, 3])
        phone.command(.setOption(.retryDelays([])))
        phone.wait(3)
        phone.succeed()
        phone.drop()
        #expect(waits(phone, attempts: 2) == [2, 4])
    }

    @Test("NIM-6: after N failed retries, not counting the first attempt: local code 15, and no further retry")
    func retryLimit() {
        let phone = ClientPhase.loggedOut.transcript(nim)
        phone.command(.setOption(.retryCountMax(3)))
        phone.login("alice", .automatic)
        phone.fail()
        #expect(waits(phone, attempts: 2) == [2, 4])
        phone.wait(6)
        #expect(
            phone.fail() == [
                "step link-failed", "keep alice retry-limit-reached autologin",
                "connecting > logged-out (login-failed)", "autologin-failed retry-limit-reached",
                "done 2 retry-limit-reached",
            ])
        #expect(phone.wait(3600) == [])
        #expect(phone.incomplete == [])
    }

    @Test(
        "NIM-7 C-11: a final refusal by the server stops the retries and is reported once",
        arguments: [Status.wrongCredential, .loggedInElsewhere, .forbidden, .banned])
    func fatalStatuses(_ status: Status) {
        let auto = ClientPhase.loggedOut.transcript(nim)
        auto.login("alice", .automatic)
        auto.open()
        let reason = status == .wrongCredential ? "credential-refused" : "login-failed"
        #expect(
            auto.refuse(status).suffix(3) == [
                "connecting > logged-out (\(reason))", "autologin-failed \(status.name)", "done 1 \(status.name)",
            ])
        #expect(auto.wait(3600) == [])
        // A reconnect is refused with the same status, while no command is pending.
        let reconnect = ClientPhase.reauthenticating.transcript(nim)
        #expect(reconnect.refuse(status).last == "autologin-failed \(status.name)")
        #expect(reconnect.wait(3600) == [])
        #expect(reconnect.feed(.networkChanged(.up)) == [])
        #expect(reconnect.incomplete == [])
    }

    @Test("NIM-4: after a 417 a forced login is still allowed; after 302 and 422 it is not")
    func afterRefusal() {
        for (status, allowed) in [(Status.loggedInElsewhere, true), (.wrongCredential, false), (.banned, false)] {
            let phone = ClientPhase.loggedOut.transcript(nim)
            phone.login("alice", .automatic)
            phone.open()
            phone.refuse(status)
            #expect(phone.login("alice", .forced).contains("step linking") == allowed)
        }
    }

    @Test("NIM-7: 408, 415 and 416 in an autologin are retried without a callback")
    func silentRetries() {
        let timeout = ClientPhase.loggedOut.transcript(nim)
        timeout.login("alice", .automatic)
        timeout.open()
        #expect(
            timeout.wait(12) == [
                "10s close 1", "10s step login-failed", "10s connecting > offline (interrupted)",
                "12s offline > connecting (retrying)", "12s step linking", "12s connect 2",
            ])
        let limited = ClientPhase.loggedOut.transcript(nim)
        limited.login("alice", .automatic)
        limited.open()
        #expect(limited.refuse(.rateLimited).last == "connecting > offline (interrupted)")
        #expect(limited.incomplete == [1])
    }

    @Test("C-11: no network error changes the stored credential")
    func networkErrorsKeepCredentials() {
        for fault in LinkError.allCases {
            let phone = ClientPhase.loggedOut.transcript(nim)
            let before = phone.machine.local
            phone.login("alice", .automatic)
            phone.feed(.linkFailed(phone.link, fault))
            phone.wait(2)
            phone.open()
            phone.feed(.linkClosed(phone.link, fault))
            phone.wait(100)
            #expect(phone.machine.local == before)
            #expect(phone.kept == nil)
        }
    }

    @Test("C-6: a reconnect is a resume with the epoch of the login that it continues")
    func resumePresentsEpoch() {
        for policy in [nim, rtm] {
            let phone = ClientTranscript(policy)
            phone.goOnline(epoch: 7)
            phone.wait(5, answeringHeartbeats: true)
            phone.drop()
            #expect(phone.open().last == "send 2 login alice resume epoch=7")
            phone.accept(epoch: 7)
            #expect(phone.incomplete == [])
        }
        // An autologin that has not succeeded yet is repeated as a new login, not as a resume.
        let phone = ClientPhase.retryingAutologin.transcript(nim)
        phone.wait(2)
        #expect(phone.open().last == "send 2 login alice automatic epoch=1")
    }

    @Test("NIM-9: LoseConnection(9) when the link is lost, NetChanged(10) on a switch, LinkFailed(3), LoginFailed(6)")
    func steps() {
        let phone = ClientPhase.online.transcript(nim)
        phone.wait(5)
        #expect(phone.feed(.networkChanged(.switched)) == ["step network-changed"])
        #expect(
            phone.drop() == [
                "step connection-lost", "online > reconnecting (interrupted)", "step linking", "connect 2",
            ])
        #expect(phone.fail() == ["step link-failed"])
        phone.wait(2)
        phone.open()
        #expect(phone.refuse(.serverError).prefix(2) == ["close 3", "step login-failed"])
        #expect(ClientTranscript(nim).feed(.networkChanged(.switched)) == [])
    }

    @Test("C-9: a link that breaks directly after the login is retried like a failed attempt; a stable one at once")
    func acceptAndDrop() {
        let early = ClientPhase.online.transcript(nim)
        early.wait(1.9)
        #expect(!early.drop().contains("connect 2"))
        let stable = ClientPhase.online.transcript(nim)
        stable.wait(2)
        #expect(stable.drop().contains("connect 2"))
    }
}

@Suite struct HeartbeatTests {
    @Test("C-12: an unanswered heartbeat ends the link, and the login continues over another one")
    func unanswered() {
        let phone = ClientPhase.online.transcript(nim)
        #expect(
            phone.wait(45) == [
                "30s send 1 heartbeat", "40s close 1", "40s step connection-lost",
                "40s online > reconnecting (interrupted)", "40s step linking", "40s connect 2",
            ])
    }

    @Test("C-12: any frame answers a heartbeat")
    func anyFrameAnswers() {
        for body in [FrameBody.heartbeatAck, .devicesChanged(.login, [pad]), .goodbye(.shutdown, detail: "")] {
            let phone = ClientPhase.online.transcript(nim)
            phone.wait(39)
            phone.receive(body)
            #expect(phone.wait(20) == [])
            #expect(phone.wait(1) == ["1s send 1 heartbeat"])
        }
    }

    @Test("C-12: the first unanswered heartbeat counts, not the latest")
    func firstUnansweredCounts() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(
            phone.wait(4).prefix(5) == [
                "1s send 1 heartbeat", "2s send 1 heartbeat", "3s send 1 heartbeat", "4s send 1 heartbeat",
                "4s close 1",
            ])
    }

    @Test("C-12: a heartbeat ends with its link: it does not end the next one")
    func heartbeatsBelongToALink() {
        // The heartbeat interval is shorter than the time limit of the sync, so a heartbeat is pending when the sync
        // ends.
        var policy = nim
        policy.heartbeatInterval = .seconds(1)
        policy.heartbeatAnswerLimit = .seconds(5)
        let phone = ClientPhase.syncing.transcript(policy)
        phone.wait(1)
        phone.drop()
        #expect(phone.wait(3.5) == ["2s step linking", "2s connect 2"])
        phone.open()
        #expect(phone.wait(3) == [])
        for phase in [ClientPhase.online, .syncing] {
            let other = phase.transcript(nim)
            other.drop()
            #expect(!other.wait(60).contains { $0.contains("heartbeat") })
        }
    }

    @Test("C-10: after a long sleep the link is probed before it is ended")
    func wakeProbes() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.wait(1)
        phone.wait(0)
        let asleep = ClientTranscript(copy: phone)
        asleep.pass(.seconds(3600))
        #expect(asleep.feed(.appChanged(.woke(slept: .seconds(3600)))) == ["send 1 heartbeat"])
        // Timers that were due during the sleep fire after it. The unanswered heartbeat from before the sleep does not
        // end the connection.
        #expect(!asleep.feed(.deadlineReached).contains("close 1"))
        asleep.receive(.heartbeatAck)
        #expect(asleep.state == .online)
        #expect(!asleep.wait(1).contains("1s close 1"))
    }
}
