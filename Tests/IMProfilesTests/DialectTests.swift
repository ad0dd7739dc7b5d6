import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

@Suite struct DialectTests {
    private let everyNotification: [ClientNotification] =
        LoginStep.allCases.map { .loginStep($0) } + Status.allCases.map { .autologinFailed($0) }
        + KickReason.allCases.flatMap { reason in
            Platform.allCases.map { .kicked(KickNotice(reason: reason, epoch: 1, by: Device(id: "d", platform: $0))) }
        } + [.kicked(KickNotice(reason: .server, epoch: 1))]
        + DeviceChange.allCases.map { .devicesChanged($0, [Device(id: "d", platform: .web)]) } + [
            .messageReceived(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi")),
            .messageReceived(ChatMessage(id: "m", from: "bob", to: "tea", text: "hi", isToGroup: true)),
            .memberChanged(channel: "c", user: "bob", joined: true),
            .memberChanged(channel: "c", user: "bob", joined: false), .tokenExpired,
            .tokenWillExpire(inMilliseconds: 1), .dataProgress(done: 1, all: 2),
        ] + ChangeKind.allCases.map { .dataChanged($0, "bob") }
        + LinkState.allCases.flatMap { state in
            StateReason.allCases.map { .linkChanged(LinkChange(from: .connected, to: state, reason: $0)) }
        } + [
            .linkChanged(LinkChange(from: .connecting, to: .connected, reason: .retrying, isOfReconnect: true)),
            .dataOpened(user: "alice"), .replaced(KickNotice(reason: .otherLogin, epoch: 1)),
        ]
        + OperationKind.allCases.map {
            .operated(DeviceOperation(id: "o", kind: $0, target: "tea"))
        }

    private var everyEffect: [ClientEffect] {
        everyNotification.map { .notify($0) }
            + ClientState.allCases.flatMap { state in
                StateReason.allCases.map { .transition(StateChange(from: .loggedOut, to: state, reason: $0)) }
            }
    }

    @Test("design 1: every result of every call has a code with a name, and success is one number")
    func codesAreTotal() {
        for dialect in Dialects.withVersions {
            for call in CallKind.allCases {
                for status in Status.allCases {
                    let code = dialect.code(for: status, of: call)
                    #expect(!code.name.isEmpty)
                    #expect(code.description == "\(code.name)(\(code.number))")
                }
                #expect(dialect.code(for: .ok, of: call).number == (dialect.profile.hasPrefix("nim") ? 200 : 0))
            }
        }
    }

    @Test("design 1: within one dialect and call, names and numbers of codes correspond one to one")
    func namesAreUnique() {
        for dialect in Dialects.withVersions {
            for call in CallKind.allCases {
                var numbers: [String: Int] = [:]
                for status in Status.allCases {
                    let code = dialect.code(for: status, of: call)
                    #expect(numbers[code.name, default: code.number] == code.number)
                    numbers[code.name] = code.number
                }
                // NIM's local and remote codes are two domains; within each of them a number has one name.
                #expect(Set(numbers.values).count == numbers.count)
            }
        }
        #expect(Set(Dialects.all.map(\.profile)).count == Dialects.all.count)
        for dialect in Dialects.withVersions {
            #expect(Dialects.named(dialect.profile)?.title == dialect.title)
            #expect(dialect.clientPolicy.profile == dialect.profile && dialect.serverPolicy.profile == dialect.profile)
            #expect(Set(dialect.callbacks.map(\.name)).count == dialect.callbacks.count)
        }
        #expect(Dialects.named("nobody's") == nil)
    }

    @Test("design 3: the table of callbacks matches the dialect's output: names, fields and enum values")
    func tableMatches() {
        for dialect in Dialects.withVersions {
            var seen: Set<String> = []
            for effect in everyEffect {
                guard let callback = dialect.callback(for: effect) else { continue }
                seen.insert(callback.name)
                guard let shape = dialect.callbacks.first(where: { $0.name == callback.name }) else {
                    Issue.record("\(dialect.profile): \(callback.name) is not in the table")
                    continue
                }
                #expect(shape.fields.map(\.name) == callback.fields.map(\.name))
                for (field, value) in zip(shape.fields, callback.fields.map(\.value)) where !field.values.isEmpty {
                    let name = String(value.prefix { $0 != "(" })
                    #expect(field.values.contains(name), "\(dialect.profile) \(callback.name) \(field.name)")
                }
            }
            #expect(seen.isSubset(of: dialect.callbacks.map(\.name)))
        }
    }

    @Test("C-16: each command has the call kind with its codes")
    func callKinds() {
        #expect(CallKind(.login(user: "a", credential: "", mode: .manual)) == .login)
        for mode in [LoginMode.automatic, .forced] {
            #expect(CallKind(.login(user: "a", credential: "", mode: mode)) == .autologin)
        }
        #expect(CallKind(.renewToken(credential: "")).rawValue == "renew-token")
        #expect(CallKind(.setOption(.retryCountMax(1))) == .option)
    }
}

@Suite struct NIMDialectTests {
    private let dialect = NIMDialect()

    private func fields(_ notification: ClientNotification) -> [String] {
        dialect.callback(for: .notify(notification)).map { [$0.name] + $0.fields.map(\.value) } ?? []
    }

    @Test("NIM-1 NIM-9: the steps have the numbers of NIMLoginStep")
    func steps() {
        let names = [
            "Linking", "LinkOK", "LinkFailed", "Logining", "LoginOK", "LoginFailed", "Syncing", "SyncOK",
            "LoseConnection", "NetChanged",
        ]
        for (step, (number, name)) in zip(LoginStep.allCases, names.enumerated()) {
            #expect(fields(.loginStep(step)) == ["onLogin", "NIMLoginStep\(name)(\(number + 1))"])
        }
    }

    @Test("NIM-3 NIM-4 NIM-6 NIM-7 NIM-8: codes as in the vendor's headers")
    func codes() {
        let table: [(Status, Int)] = [
            (.ok, 200), (.wrongCredential, 302), (.forbidden, 403), (.notFound, 404), (.timeout, 408),
            (.invalidArgument, 414), (.connectionFailed, 415), (.networkUnavailable, 415), (.rateLimited, 416),
            (.loggedInElsewhere, 417), (.banned, 422), (.retryLimitReached, 15), (.loginInProgress, 16),
            (.alreadyLoggedIn, 16), (.otherUserLoggedIn, 16), (.cancelled, 19),
        ]
        for (status, number) in table { #expect(dialect.code(for: status, of: .login).number == number) }
        #expect(fields(.autologinFailed(.loggedInElsewhere)) == ["onAutoLoginFailed", "NIMRemoteErrorCodeExist(417)"])
        #expect(
            fields(.autologinFailed(.retryLimitReached))
                == ["onAutoLoginFailed", "NIMLocalErrorCodeAutoLoginRetryLimit(15)"])
    }

    @Test("NIM-12 NIM-13: kicks and the other devices have the vendor's numbers")
    func kicks() {
        let table: [(KickReason, Platform, String, String)] = [
            (.otherLogin, .android, "NIMKickReasonByClient(1)", "NIMLoginClientTypeAOS(1)"),
            (.server, .server, "NIMKickReasonByServer(2)", "NIMLoginClientTypeRestful(32)"),
            (.otherDevice, .macos, "NIMKickReasonByClientManually(3)", "NIMLoginClientTypemacOS(64)"),
            (.otherLogin, .ios, "NIMKickReasonByClient(1)", "NIMLoginClientTypeiOS(2)"),
            (.otherLogin, .windows, "NIMKickReasonByClient(1)", "NIMLoginClientTypePC(4)"),
            (.otherLogin, .windowsPhone, "NIMKickReasonByClient(1)", "NIMLoginClientTypeWP(8)"),
            (.otherLogin, .web, "NIMKickReasonByClient(1)", "NIMLoginClientTypeWeb(16)"),
        ]
        for (reason, platform, number, type) in table {
            let notice = KickNotice(reason: reason, epoch: 1, by: Device(id: "d", platform: platform))
            #expect(fields(.kicked(notice)) == ["onKick", number, type])
        }
        for (change, value) in [
            (DeviceChange.initial, "NIMMultiLoginTypeInit(1)"), (.login, "NIMMultiLoginTypeLogin(2)"),
            (.logout, "NIMMultiLoginTypeLogout(3)"),
        ] {
            #expect(
                fields(.devicesChanged(change, [Device(id: "d", platform: .web)]))
                    == ["onMultiLoginClientsChanged", value, "d"])
        }
    }

    @Test("NIM-5 NIM-10: the vendor's delays and limits")
    func numbers() {
        #expect(dialect.clientPolicy.retryDelays.map(\.inSeconds) == [2, 4, 6, 8, 16, 32, 64])
        #expect(dialect.clientPolicy.logoutTimeLimit == .seconds(3))
        #expect(dialect.clientPolicy.retryCountMax == 0)
        #expect(dialect.serverPolicy.silenceLimit == .seconds(90))
        #expect(dialect.clientPolicy.heartbeatInterval == .seconds(30))
    }
}

@Suite struct AgoraRTMDialectTests {
    private let dialect = AgoraRTMDialect()

    private func change(_ state: ClientState, _ reason: StateReason) -> [String] {
        dialect.callback(for: .transition(StateChange(from: .loggedOut, to: state, reason: reason)))
            .map { $0.fields.map { String($0.value.drop { $0 != "(" }) } } ?? []
    }

    @Test("RTM-1: states are 1…5 and reasons 1…9, as in AgoraRtmKit.h")
    func states() {
        let table: [(ClientState, StateReason, String, String)] = [
            (.connecting, .login, "(2)", "(1)"), (.online, .loginSucceeded, "(3)", "(2)"),
            (.loggedOut, .loginFailed, "(1)", "(3)"), (.loggedOut, .loginTimedOut, "(1)", "(4)"),
            (.reconnecting, .interrupted, "(4)", "(5)"), (.loggedOut, .logout, "(1)", "(6)"),
            (.kicked, .kickedByServer, "(5)", "(7)"), (.kicked, .remoteLogin, "(5)", "(8)"),
            (.loggedOut, .tokenExpired, "(1)", "(9)"),
        ]
        for (state, reason, number, why) in table { #expect(change(state, reason) == [number, why]) }
        #expect(dialect.name(of: .kicked) == "AgoraRtmConnectionStateAborted")
        #expect(dialect.name(of: .reconnecting) == "AgoraRtmConnectionStateReconnecting")
    }

    @Test("RTM-2 RTM-6 RTM-7: codes as in AgoraRtmKit.h, each of its own call")
    func codes() {
        let table: [(CallKind, Status, Int)] = [
            (.login, .wrongCredential, 5), (.login, .credentialExpired, 6), (.login, .loginInProgress, 8),
            (.login, .alreadyLoggedIn, 8), (.login, .otherUserLoggedIn, 8), (.login, .timeout, 9),
            (.login, .rateLimited, 10), (.login, .banned, 2), (.login, .invalidArgument, 3),
            (.logout, .notLoggedIn, 102), (.send, .timeout, 2), (.send, .notFound, 3), (.send, .stored, 4),
            (.send, .notLoggedIn, 102), (.join, .limitExceeded, 5), (.join, .alreadyJoined, 6), (.join, .timeout, 4),
            (.leave, .notFound, 3), (.renewToken, .credentialExpired, 5), (.renewToken, .wrongCredential, 6),
            (.send, .textTooLong, 7), (.send, .rateLimited, 5), (.send, .invalidArgument, 6),
            (.channelSend, .timeout, 2), (.channelSend, .rateLimited, 3), (.channelSend, .textTooLong, 4),
            (.channelSend, .notFound, 1), (.join, .rateLimited, 7), (.join, .channelRateLimited, 8),
            (.attributes, .limitExceeded, 4), (.attributes, .rateLimited, 5), (.attributeQuery, .notFound, 6),
            (.memberQuery, .notFound, 5), (.memberQuery, .rateLimited, 4), (.watch, .rateLimited, 5),
            (.watch, .limitExceeded, 6), (.renewToken, .rateLimited, 4),
        ]
        for (call, status, number) in table { #expect(dialect.code(for: status, of: call).number == number) }
        #expect(dialect.code(for: .ok, of: .attributes).name == "AgoraRtmAttributeOperationErrorOk")
    }

    @Test("RTM-2 RTM-3 RTM-4: 6 s for a login, 4 s of grace, 30 s of presence")
    func numbers() {
        #expect(dialect.clientPolicy.attemptTimeLimit == .seconds(6))
        #expect(dialect.clientPolicy.interruptionGrace == .seconds(4))
        #expect(dialect.serverPolicy.presenceHold == .seconds(30))
        #expect(dialect.clientPolicy.channelCountMax == 20)
    }
}
