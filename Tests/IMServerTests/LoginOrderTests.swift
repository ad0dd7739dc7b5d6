import IMProtocol
import SansIO
import Testing

@testable import IMServer

/// Tests of the order of the checks at a login: every login mode with every event that may have happened before.
@Suite struct LoginOrderTests {
    /// An event between the first login of a device and its return.
    private enum Fact: String, CaseIterable {
        case nothing, kickedByServer, kickedByDevice, banned, removed, removedAndCreatedAgain, passwordChanged
        case otherDevice, forbidden

        /// Makes the event happen to the device `a`, whose login is the first of its account.
        func apply(to server: ServerTranscript) {
            switch self {
            case .nothing: break
            case .kickedByServer: server.command(.kick(user: "alice", device: nil))
            case .kickedByDevice:
                server.login(8, "web", .web)
                server.receive(8, .kick(device: "a"))
            case .banned: server.command(.banAccount("alice"))
            case .removed: server.command(.deleteAccount("alice"))
            case .removedAndCreatedAgain:
                server.command(.deleteAccount("alice"))
                server.command(.addAccount("alice"))
            case .passwordChanged: server.command(.passwordChanged(user: "alice"))
            case .otherDevice: server.login(9, "b")
            case .forbidden: server.command(.setRefusal(user: "alice", .forbidden))
            }
        }
    }

    private static let modes: [LoginMode] = [.resume, .automatic, .forced, .offline, .manual]

    /// The results of all login modes after all events, with the credential of the first login or with a new one.
    private func table(_ policy: ServerPolicy, late: CredentialVerdict.Finding = .valid) -> [String] {
        Fact.allCases.flatMap { fact in
            Self.modes.map { mode in
                let server = ServerTranscript(policy)
                let credential = server.credential()
                server.login(1, "a", credential: credential)
                server.wait(1)
                server.close(1)
                fact.apply(to: server)
                var shown = credential
                if late != .valid, case .verdict(var verdict) = credential {
                    verdict.finding = late
                    shown = .verdict(verdict)
                }
                let lines = server.login(2, "a", .ios, mode, epoch: 1, credential: shown)
                let answer = lines.first { $0.hasPrefix("2 ") } ?? "nothing"
                return "\(fact) \(mode): \(answer.dropFirst(2))"
            }
        }
    }

    /// A policy under which devices of one kind exclude each other, and every end of a login is a kick.
    private var strict: ServerPolicy {
        var policy = zim
        policy.passwordChangeEndsLogins = true
        return policy
    }

    @Test("C-7: an undelivered notice comes before everything else, in every mode that continues a login")
    func noticesFirst() {
        #expect(
            table(strict) == [
                "nothing resume: login-ack ok epoch=1", "nothing automatic: login-ack ok epoch=2",
                "nothing forced: login-ack ok epoch=2", "nothing offline: login-ack ok epoch=1",
                "nothing manual: login-ack ok epoch=2",
                "kickedByServer resume: kicked server epoch=1 by -",
                "kickedByServer automatic: kicked server epoch=1 by -",
                "kickedByServer forced: kicked server epoch=1 by -",
                "kickedByServer offline: kicked server epoch=1 by -",
                "kickedByServer manual: login-ack ok epoch=2",
                // The login of the other device ended this login, and the operator's kick came after that.
                "kickedByDevice resume: kicked other-login epoch=1 by web",
                "kickedByDevice automatic: login-ack ok epoch=3", "kickedByDevice forced: login-ack ok epoch=3",
                "kickedByDevice offline: kicked other-login epoch=1 by web",
                "kickedByDevice manual: login-ack ok epoch=3",
                "banned resume: kicked banned epoch=1 by -", "banned automatic: kicked banned epoch=1 by -",
                "banned forced: kicked banned epoch=1 by -", "banned offline: kicked banned epoch=1 by -",
                "banned manual: login-ack banned",
                "removed resume: kicked account-removed epoch=1 by -",
                "removed automatic: kicked account-removed epoch=1 by -",
                "removed forced: kicked account-removed epoch=1 by -",
                "removed offline: kicked account-removed epoch=1 by -",
                "removed manual: login-ack wrong-credential",
                "removedAndCreatedAgain resume: kicked account-removed epoch=1 by -",
                "removedAndCreatedAgain automatic: kicked account-removed epoch=1 by -",
                "removedAndCreatedAgain forced: kicked account-removed epoch=1 by -",
                "removedAndCreatedAgain offline: kicked account-removed epoch=1 by -",
                "removedAndCreatedAgain manual: login-ack wrong-credential",
                "passwordChanged resume: kicked password-changed epoch=1 by -",
                "passwordChanged automatic: kicked password-changed epoch=1 by -",
                "passwordChanged forced: kicked password-changed epoch=1 by -",
                "passwordChanged offline: kicked password-changed epoch=1 by -",
                "passwordChanged manual: login-ack wrong-credential",
                "otherDevice resume: kicked other-login epoch=1 by b", "otherDevice automatic: login-ack ok epoch=3",
                "otherDevice forced: login-ack ok epoch=3", "otherDevice offline: kicked other-login epoch=1 by b",
                "otherDevice manual: login-ack ok epoch=3",
                "forbidden resume: login-ack forbidden", "forbidden automatic: login-ack forbidden",
                "forbidden forced: login-ack forbidden", "forbidden offline: login-ack forbidden",
                "forbidden manual: login-ack forbidden",
            ])
    }

    @Test("C-7: an expired credential does not prevent the delivery of a kick; an invalid one does")
    func credentials() {
        let expired = table(strict, late: .expired).filter { !$0.contains("manual") }
        #expect(expired.filter { $0.contains(" kicked ") }.count == 4 * 5 + 2 * 2)
        #expect(expired.filter { $0.hasPrefix("nothing") }.allSatisfy { $0.hasSuffix("credential-expired") })
        let wrong = table(strict, late: .wrong)
        // The old password is wrong because it was changed. So only the notice of the change is sent.
        #expect(wrong.filter { $0.contains(" kicked ") }.allSatisfy { $0.contains("password-changed") })
        #expect(wrong.filter { $0.contains(" kicked ") }.count == 4)
        #expect(wrong.filter { !$0.contains(" kicked ") }.allSatisfy { $0.hasSuffix("login-ack wrong-credential") })
    }

    @Test("NIM-7: where the policy says so, a ban and a removed account are refusals with their own codes")
    func refusals() {
        let lines = table(nim)
        for mode in Self.modes {
            #expect(lines.contains("banned \(mode): login-ack banned"))
            #expect(lines.contains("removed \(mode): login-ack wrong-credential"))
            #expect(lines.contains("passwordChanged \(mode): login-ack wrong-credential"))
        }
        #expect(lines.contains("kickedByServer automatic: kicked server epoch=1 by -"))
        #expect(lines.contains("otherDevice automatic: login-ack logged-in-elsewhere"))
    }

    @Test("C-7 NIM-8: a pending kick is delivered also to a device that exceeds the login rate, and does not count")
    func noticeBeforeRateLimit() {
        var policy = strict
        policy.loginRateMax = 1
        policy.loginRateWindow = .seconds(600)
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.command(.kick(user: "alice", device: nil))
        #expect(server.login(2, "a", .ios, .automatic, epoch: 1) == ["2 kicked server epoch=1 by -"])
        server.receive(2, .kickedAck(epoch: 1))
        #expect(server.login(3, "a") == ["3 login-ack rate-limited"])
    }

    @Test("C-7: a ban during an absence is delivered although the server has forgotten the device")
    func forgottenDevice() {
        var policy = rtm
        policy.devicesKeptMax = 1
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.close(1)
        server.login(2, "b")
        server.command(.banAccount("alice"))
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 kicked banned epoch=1 by -"])
    }
}
