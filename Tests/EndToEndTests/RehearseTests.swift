import Foundation
import TestSupport
import Testing

/// Tests of `rehearse`: it lists the differences for an app between two versions of an SDK, with quotations from the
/// vendors' guides.
@Suite(.onOwnThreads) struct RehearseTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            """
            #! imrepl script 1
            # title: a refused token
            # profile: agora-chat

            client new phone --platform ios
            @phone login alice
            @phone expect state online within 5s
            @phone net down
            @phone renew-token --token wrong
            @phone net up
            @phone expect callback userAccountDidForcedToLogout code=202 within 40s

            """, "token.imr")
        try sandbox.write(
            """
            #! imrepl script 1
            # title: a place that is taken
            # profile: nim

            client new phone --platform ios
            client new pad --platform ipad
            @phone login alice
            @phone expect state online within 5s
            @phone net down
            wait 100s
            @pad login alice
            @pad expect state online within 5s
            @phone net up
            @phone expect callback onKick reason=1 within 70s

            """, "place.imr")
    }

    /// The line after the line with an event. It has the explanation from the guide.
    private func explanation(of event: String, in lines: [String]) -> String? {
        lines.firstIndex { $0.contains(event) }.map { lines[$0 + 1] }
    }

    @Test func `a damaged recording is refused by its name`() throws {
        try sandbox.recordKick()
        var bytes = [UInt8](try sandbox.data("kick.pcapng"))
        bytes[bytes.count / 2] ^= 1
        try sandbox.write(Data(bytes), "kick.pcapng")
        let result = try sandbox.imrepl("rehearse", "kick.pcapng", "--from", "nim@v1", "--to", "nim@v2")
        #expect(result.status == 5 && result.errors.contains("kick.pcapng: damaged"), "\(result.errors)")
    }

    @Test func `rehearse reports a silent logout of Chat 5`() throws {
        let result = try sandbox.imrepl("rehearse", "token.imr", "--from", "agora-chat@4", "--to", "agora-chat@5")
        #expect(result.status == 1, "\(result)")
        let guide = explanation(of: "phone callback userAccountDidForcedToLogout code=", in: result.lines)
        #expect(guide?.contains("104, 110, 204 and 213 end the login without a callback") == true, "\(result)")
        #expect(result.lines.contains { $0.hasPrefix("token.imr: - +") })
    }

    @Test func `rehearse reports a reconnect of NIM V2 that gets 417`() throws {
        let result = try sandbox.imrepl("rehearse", "place.imr", "--from", "nim@v1", "--to", "nim@v2")
        #expect(result.status == 1, "\(result)")
        let guide = explanation(
            of: "phone callback onLoginFailed error=V2NIM_ERROR_CODE_MULTI_LOGIN_FORBIDDEN(417)", in: result.lines)
        #expect(guide?.contains("forceMode counts as false in a reconnect") == true, "\(result)")
        #expect(result.lines.contains { $0.contains("phone callback onKick reason=") })
    }

    @Test func `the same version has no differences, and a version of another system is refused`() throws {
        let same = try sandbox.imrepl("rehearse", "token.imr", "--from", "agora-chat@4", "--to", "agora-chat@4")
        #expect(same.status == 0 && same.lines == ["no difference"], "\(same)")
        #expect(try sandbox.imrepl("rehearse", "token.imr", "--from", "nim@v1", "--to", "agora-chat@5").status == 2)
        #expect(try sandbox.imrepl("rehearse", "token.imr", "--from", "nim@v1", "--to", "nim@v2").status == 2)
    }

    @Test func `a login of NIM V2 without forceMode gets 417, and an explicit login is retried three times`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: nim

            client new phone --platform ios
            client new pad --platform ipad
            @phone login alice
            @phone expect state online within 5s
            @pad login alice
            @phone expect callback onKick reason=1 within 5s
            client new desk --platform windows
            @desk net down
            @desk login bob
            @desk expect result login code=415
            wait 20s

            """, "limit.imr")
        let result = try sandbox.imrepl("rehearse", "limit.imr", "--from", "nim@v1", "--to", "nim@v2")
        let refused = explanation(
            of: "pad result login V2NIM_ERROR_CODE_MULTI_LOGIN_FORBIDDEN(417)", in: result.lines)
        #expect(refused?.contains("without forceMode, which is false by default") == true, "\(result)")
        #expect(result.lines.contains { $0.contains("- +") && $0.contains("phone callback onKick") }, "\(result)")
        let retried = explanation(
            of: "desk result login V2NIM_ERROR_CODE_CONNECT_FAILED(192001)", in: result.lines)
        #expect(retried?.contains("retryCount is 3 for the explicit login call") == true, "\(result)")
        #expect(result.lines.contains { $0.hasPrefix("removed in nim@v2: autoLogin") }, "\(result)")
        #expect(result.lines.contains { $0.hasPrefix("not modelled in nim@v2: offlineMode") }, "\(result)")
        let help = try sandbox.imrepl("help", "nim@v2").output
        for text in ["CHANGES IN nim@v2\n", "NOT MODELLED IN nim@v2\n", "\n  offlineMode (10.9.20"] {
            #expect(help.contains(text), "\(help)")
        }
    }

    @Test func `an expired token of RTM 2 ends in Failed, and ZIM 3 has one callback for messages`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: agora-rtm

            client new phone
            @phone login alice --ttl 1m
            @phone expect state online within 5s
            @phone expect callback rtmKitTokenDidExpire within 70s

            """, "expiry.imr")
        let rtm = try sandbox.imrepl("rehearse", "expiry.imr", "--from", "agora-rtm@1", "--to", "agora-rtm@2")
        let failed = explanation(
            of: "callback didReceiveLinkStateEvent currentState=AgoraRtmLinkStateFailed(5)", in: rtm.lines)
        #expect(failed?.contains("an expired token ends in Failed (ServerReject, TokenExpired)") == true, "\(rtm)")
        #expect(rtm.lines.contains { $0.contains("+") && $0.contains("callback tokenPrivilegeWillExpire") }, "\(rtm)")
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: zim

            client new phone
            client new desk
            @phone login alice
            @desk login bob
            @desk expect state online within 5s
            @desk send alice hello
            @phone expect callback peerMessageReceived within 5s
            @phone call exportLocalMessagesToFolderPath folderPath=/tmp/imrepl-export

            """, "message.imr")
        let zim = try sandbox.imrepl("rehearse", "message.imr", "--from", "zim@2", "--to", "zim@3")
        let message = explanation(of: "phone callback messageReceivedWithResult conversationID=bob", in: zim.lines)
        #expect(message?.contains("messageReceivedWithResult replaces peerMessageReceived") == true, "\(zim)")
        let exported = explanation(of: "phone result call ZIMErrorCodeFailed(1)", in: zim.lines)
        #expect(exported?.contains("import and export of local messages are removed") == true, "\(zim)")
    }

    @Test func `a recording of a later version can be opened`() throws {
        let made = try sandbox.imrepl(
            "run", "token.imr", "--profile", "agora-chat@4", "--record", "four.pcapng", "--no-rc")
        #expect(made.status == 0, "\(made)")
        #expect(try sandbox.imrepl("verify", "four.pcapng").status == 0)
        _ = try sandbox.imrepl(
            "--profile", "nim@v2", "--world", "simulated", "--record", "two.pcapng", "-c", "login alice", "-c",
            "wait 5s")
        #expect(try sandbox.imrepl("verify", "two.pcapng").status == 0)
        #expect(try sandbox.imrepl("show", "two.pcapng").output.contains("callback onLoginStatus status=LOGINED(1)"))
    }

    @Test func `rehearse reports Disconnected, Suspended and resumed for a long break of RTM 2`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: agora-rtm

            client new phone
            @phone login alice
            @phone expect state online within 5s
            @phone join news
            @phone expect result join ok within 5s
            @phone net down
            @phone send bob hello
            @phone expect result send code=2 within 15s
            wait 150s
            @phone net up
            @phone expect state online within 10s

            """, "break.imr")
        let result = try sandbox.imrepl("rehearse", "break.imr", "--from", "agora-rtm@1", "--to", "agora-rtm@2")
        for (event, line) in [
            ("currentState=AgoraRtmLinkStateDisconnected(3) previousState=AgoraRtmLinkStateConnected(2)", "at once"),
            ("currentState=AgoraRtmLinkStateSuspended(4)", "tries every 30 s"),
            ("affectedChannels=news isResumed=true", "the app need not"),
            ("callback connectionChangedToState state=AgoraRtmClientConnectionStateReconnecting(4)", "the older one"),
            ("result send AgoraRtmErrorNotConnected(-10025)", "no message can be sent"),
        ] {
            #expect(explanation(of: event, in: result.lines)?.contains(line) == true, "\(event)\n\(result)")
        }
        #expect(result.lines.contains { $0.contains("- +") && $0.contains("callback connectionStateChanged") })
    }

    @Test func `rehearse reports WAITING, the 60 s of a login and the quiet kick of NIM V2`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: nim

            client new tab --platform web --device browser
            client new other --platform web --device browser
            @tab login alice
            @tab expect state online within 5s
            wait 5s
            @other login alice
            @tab expect callback onKick reason=1 within 5s
            @other net down
            wait 1s
            client new desk --platform windows
            @desk option reconnect-delay=25s
            @desk net down
            @desk login bob
            @desk expect result login code=415
            wait 70s

            """, "waiting.imr")
        let result = try sandbox.imrepl("rehearse", "waiting.imr", "--from", "nim@v1", "--to", "nim@v2")
        for (event, line) in [
            ("tab callback onKickedOffline reason=CLIENT_QUIETLY(4)", "another tab of the browser"),
            ("other callback onConnectStatus status=WAITING(3)", "waits for its next attempt"),
            ("desk result login V2NIM_ERROR_CODE_TIMEOUT(191005)", "60 s for the whole login call"),
        ] {
            #expect(explanation(of: event, in: result.lines)?.contains(line) == true, "\(event)\n\(result)")
        }
    }

    @Test func `rehearse reports 303, 220, the order of a logout's events and of onDatabaseOpened of Chat 5`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: agora-chat

            client new phone --platform ios
            client new pad --platform ios
            server policy exclusion=single
            @phone login alice
            @phone expect state online within 5s
            @phone net drop join-ack --dir in --count 1
            @phone join news
            wait 1s
            @phone net reset
            @phone expect result join code=2 within 1s
            @phone expect state online within 15s
            @pad login alice
            @phone expect callback userAccountDidLoginFromOtherDeviceWithInfo code=206 within 15s
            @pad expect state online within 5s
            server policy taken-place=keep-current
            server policy tells-device-changed=true
            @pad net down
            wait 400s
            @phone login alice
            @phone expect state online within 5s
            @pad net up
            @pad expect callback userAccountDidLoginFromOtherDeviceWithInfo code=220 within 40s
            @phone app kill
            @phone app start
            @phone login alice
            @phone expect state online within 5s
            server account ban alice
            wait 1s

            """, "order.imr")
        let result = try sandbox.imrepl("rehearse", "order.imr", "--from", "agora-chat@4", "--to", "agora-chat@5")
        for (event, line) in [
            ("phone result join AgoraChatErrorServerUnknownError(303)", "a connection that breaks 303"),
            ("pad callback userAccountDidLoginFromOtherDeviceWithInfo deviceName=nil", "its info is nil for 220"),
            ("in another order", "comes before the logout is complete"),
            ("phone callback onDatabaseOpened username=alice", "before the login's result"),
        ] {
            #expect(explanation(of: event, in: result.lines)?.contains(line) == true, "\(event)\n\(result)")
        }
    }

    @Test func `what comes at the same time in both versions is no difference`() throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: agora-chat

            client new phone --platform ios
            @phone login alice --ttl 60s
            @phone expect state online within 5s
            wait 70s
            @phone login alice
            wait 2s
            @phone net down
            wait 30s
            @phone net up
            wait 10s
            server account password alice new
            @phone expect callback userAccountDidForcedToLogout code=216 within 5s

            """, "same.imr")
        let result = try sandbox.imrepl("rehearse", "same.imr", "--from", "agora-chat@4", "--to", "agora-chat@5")
        let states = result.lines.filter { $0.contains("connectionStateDidChange") }
        #expect(states.count == 2 && states[0].contains("- +60."), "\(result)")
        #expect(states.last?.hasSuffix("in another order") == true, "\(result)")
        #expect(explanation(of: states[0], in: result.lines)?.contains("has only tokenDidExpire") == true, "\(result)")
        // A server of version 5.0 supports passwords too, so the change of the password is no difference.
        #expect(!result.lines.contains { $0.contains("userAccountDidForcedToLogout") }, "\(result)")
    }

    @Test func `a difference follows from the earlier one to which why leads, not from the previous one`() throws {
        try sandbox.write("s3cret", "secret.txt")
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: agora-chat

            server account add carol s3cret
            client new pad --platform ipad
            client new desk --platform windows
            client new phone --platform ios
            @pad login bob
            @pad expect state online within 5s
            @desk login carol --password-file secret.txt
            @desk expect state online within 5s
            @phone login alice
            @phone expect state online within 5s
            @phone app kill
            @phone app start
            @phone autologin alice
            @phone expect state online within 5s
            @desk send bob one
            @pad expect callback messagesDidReceive from=carol within 5s
            @phone send bob two
            @pad expect callback messagesDidReceive from=alice within 5s

            """, "cause.imr")
        let result = try sandbox.imrepl("rehearse", "cause.imr", "--from", "agora-chat@4", "--to", "agora-chat@5")
        for (sender, line) in [("carol", "passwords are removed"), ("alice", "automatic login is removed")] {
            let note = explanation(of: "pad callback messagesDidReceive from=\(sender)", in: result.lines)
            #expect(note?.contains("after an earlier difference") == true && note?.contains(line) == true, "\(result)")
        }
    }
}
