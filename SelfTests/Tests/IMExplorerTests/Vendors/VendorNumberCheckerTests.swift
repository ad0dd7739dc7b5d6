import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import Testing

@testable import IMCheckers

/// A dialect that differs from a real dialect in one value.
private struct GarbledDialect: Dialect {
    var real: any Dialect
    var isSilent = false
    var number: Int?
    var change: @Sendable (inout ClientPolicy, inout ServerPolicy) -> Void = { _, _ in }

    var profile: String { real.profile }
    var title: String { real.title }
    var clientPolicy: ClientPolicy { changed.client }
    var serverPolicy: ServerPolicy { changed.server }
    var documentedSettings: [String: String] { real.documentedSettings }
    var callbacks: [CallbackShape] { real.callbacks }

    private var changed: (client: ClientPolicy, server: ServerPolicy) {
        var (client, server) = (real.clientPolicy, real.serverPolicy)
        change(&client, &server)
        return (client, server)
    }

    func callback(for effect: ClientEffect) -> Callback? {
        guard !isSilent, var callback = real.callback(for: effect) else { return nil }
        if let number, !callback.fields.isEmpty { callback.fields[0].value = "Something(\(number))" }
        return callback
    }

    func code(for status: Status, of call: CallKind) -> Code {
        number.map { Code($0, "Something") } ?? real.code(for: status, of: call)
    }

    func name(of state: ClientState) -> String? { real.name(of: state) }
}

/// Tests that the dialects have the callbacks and numbers of the vendors' documents.
@Suite struct VendorNumberCheckerTests: CheckerScript {
    private func violations(_ dialect: any Dialect, _ contents: [SessionEvent.Content]) -> [VendorDifference] {
        var (checker, violations) = (VendorNumberChecker(dialect.clientPolicy), [VendorDifference]())
        for content in contents { checker.observe(event(0, content), dialect, into: &violations) }
        return violations
    }

    private var everything: [SessionEvent.Content] {
        let notifications: [ClientNotification] =
            LoginStep.allCases.map { .loginStep($0) } + Status.allCases.map { .autologinFailed($0) }
            + KickReason.allCases.flatMap { reason in
                Platform.allCases.map {
                    .kicked(KickNotice(reason: reason, epoch: 1, by: Device(id: "d", platform: $0)))
                }
            } + DeviceChange.allCases.map { .devicesChanged($0, []) }
            + [PresenceChange.online, .offline, .logout, .kicked].map { .presence(user: "bob", $0) }
            + OperationKind.allCases.map { .operated(DeviceOperation(id: "o", kind: $0, target: "tea")) }
            + [.tokenExpired, .tokenWillExpire(inMilliseconds: 1), .syncStarted, .syncFinished]
        return notifications.map { .effect(.notify($0)) } + transitions
    }

    private var transitions: [SessionEvent.Content] {
        ClientState.allCases.flatMap { from in
            ClientState.allCases.filter { $0 != from }.flatMap { to in
                StateReason.allCases.map { .effect(.transition(StateChange(from: from, to: to, reason: $0))) }
            }
        }
    }

    private var commands: [ClientCommand] {
        [
            .login(user: "alice", credential: "", mode: .manual), .login(user: "alice", credential: "", mode: .offline),
            .logout(keepsPush: false), .renewToken(credential: "t"), .kick(.otherDevices), .join(channel: "tea"),
            .leave(channel: "tea"), .send(to: "bob", text: "hi"), .send(to: "tea", text: "hi", isToChannel: true),
            .watch(user: "bob", isOn: true), .setAttributes(channel: "", []), .goOffline,
        ]
    }

    private var ends: [SessionEvent.Content] {
        commands.flatMap { call in Status.allCases.flatMap { [command(1, call), done(1, $0)] } }
    }

    @Test(arguments: Dialects.all.map(\.profile))
    func theDialectsAgreeWithTheDocuments(_ profile: String) throws {
        let dialect = try #require(Dialects.named(profile))
        #expect(violations(dialect, everything + ends).map(\.text) == [])
    }

    @Test(arguments: Dialects.all.map(\.profile))
    func aWrongNumberIsAViolation(_ profile: String) throws {
        let dialect = GarbledDialect(real: try #require(Dialects.named(profile)), number: 77)
        #expect(violations(dialect, ends).contains { $0.rule == "C-1" })
        let hasCallbacks = profile != "wilddog"
        #expect(violations(dialect, everything).contains { $0.rule == "C-16" } == hasCallbacks)
    }

    @Test(arguments: Dialects.all.map(\.profile))
    func aWrongPolicyValueIsAViolation(_ profile: String) throws {
        let real = try #require(Dialects.named(profile))
        #expect(VendorPolicies.violations(of: real).map(\.text) == [])
        let shorterInterval = GarbledDialect(
            real: real, change: { client, _ in client.heartbeatInterval = .seconds(29) })
        let silence = GarbledDialect(real: real, change: { _, server in server.silenceLimit = .seconds(34) })
        for dialect in [shorterInterval, silence] where profile != "agora-rtm" {
            #expect(VendorPolicies.violations(of: dialect).count == 1)
        }
        let otherExclusion = GarbledDialect(real: real, change: { _, server in server.exclusion = .multi })
        #expect(VendorPolicies.violations(of: otherExclusion).count == 1)
    }

    @Test(arguments: ["zim", "agora-chat", "agora-rtm"])
    func anUnreportedStateIsAViolation(_ profile: String) throws {
        let dialect = GarbledDialect(real: try #require(Dialects.named(profile)), isSilent: true)
        #expect(!violations(dialect, transitions).isEmpty)
    }
}
