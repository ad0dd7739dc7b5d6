import AgoraRtmKit
import IMClient
import IMProfiles
import IMProtocol
import Testing

/// The module's names and numbers are those of the dialect, which the shell shows.
@Suite struct NameTests {
    private let dialect = AgoraRTMDialect()

    @Test func callbacks() throws {
        let shapes = dialect.callbacks
        #expect(
            shapes.map(\.name) == [
                "connectionStateChanged", "memberJoined", "memberLeft", "messageReceived", "channelMessageReceived",
                "peersOnlineStatusChanged", "rtmKitTokenDidExpire",
            ])
        let state = try #require(shapes.first { $0.name == "connectionStateChanged" })
        #expect(state.fields[0].values == names("AgoraRtmConnectionState", 1...5, AgoraRtmConnectionState.init))
        #expect(
            state.fields[1].values
                == names("AgoraRtmConnectionChangeReason", 1...9, AgoraRtmConnectionChangeReason.init))
        // The server has no state Unreachable.
        let presence = try #require(shapes.first { $0.name == "peersOnlineStatusChanged" })
        #expect(
            presence.fields[1].values
                == names("AgoraRtmPeerOnlineState", 0...2, AgoraRtmPeerOnlineState.init).filter {
                    !$0.hasSuffix("Unreachable")
                })
    }

    /// With their numbers, as callbacks show them: `Name(number)`.
    @Test func numbers() {
        let states = (1...5).compactMap(AgoraRtmConnectionState.init).map {
            "\(named("AgoraRtmConnectionState", $0))(\($0.rawValue))"
        }
        let reasons = (1...9).compactMap(AgoraRtmConnectionChangeReason.init).map {
            "\(named("AgoraRtmConnectionChangeReason", $0))(\($0.rawValue))"
        }
        var said: Set<String> = []
        for state in ClientState.allCases {
            for reason in StateReason.allCases {
                let change = StateChange(from: .connecting, to: state, reason: reason)
                said.formUnion(dialect.callback(for: .transition(change))?.fields.map(\.value) ?? [])
            }
        }
        #expect(said == Set(states + reasons))
        let presence = [PresenceChange.online, .offline].map {
            dialect.callback(for: .notify(.presence(user: "bob", $0)))?.fields.last?.value
        }
        #expect(
            presence
                == [AgoraRtmPeerOnlineState.online, .offline].map {
                    "\(named("AgoraRtmPeerOnlineState", $0))(\($0.rawValue))"
                })
    }

    /// The cases with these numbers as the header spells them.
    private func names<Value: RawRepresentable<Int>>(
        _ prefix: String, _ numbers: ClosedRange<Int>, _ make: (Int) -> Value?
    ) -> [String] {
        numbers.compactMap(make).map { named(prefix, $0) }
    }

    private func named(_ prefix: String, _ value: some RawRepresentable<Int>) -> String {
        let word = "\(value)"
        return prefix + word.prefix(1).uppercased() + word.dropFirst()
    }

    @Test func codes() {
        check(.login, "AgoraRtmLoginError", AgoraRtmLoginErrorCode.init, unsaid: [4, 101])
        check(.logout, "AgoraRtmLogoutError", AgoraRtmLogoutErrorCode.init, unsaid: [101])
        check(.renewToken, "AgoraRtmRenewTokenError", AgoraRtmRenewTokenErrorCode.init, unsaid: [101])
        check(.send, "AgoraRtmSendPeerMessageError", AgoraRtmSendPeerMessageErrorCode.init, unsaid: [101])
        check(.channelSend, "AgoraRtmSendChannelMessage", AgoraRtmSendChannelMessageErrorCode.init, unsaid: [101])
        check(.join, "AgoraRtmJoin", AgoraRtmJoinChannelErrorCode.init, unsaid: [101])
        check(.leave, "AgoraRtmLeaveChannelError", AgoraRtmLeaveChannelErrorCode.init, unsaid: [2, 101])
        check(.memberQuery, "AgoraRtmGetMembersError", AgoraRtmGetMembersErrorCode.init, unsaid: [2, 101])
        check(
            .watch, "AgoraRtmPeerSubscriptionStatusError", AgoraRtmPeerSubscriptionStatusErrorCode.init,
            unsaid: [3, 101])
        check(.attributes, "AgoraRtm", AgoraRtmProcessAttributeErrorCode.init, unsaid: [1, 101])
    }

    /// Every code that the dialect has for a call is a case here, and every case is used except some that never occur.
    private func check<Value: RawRepresentable<Int>>(
        _ call: CallKind, _ prefix: String, _ make: (Int) -> Value?, unsaid: [Int]
    ) {
        var said: Set<Int> = []
        for status in Status.allCases {
            let code = dialect.code(for: status, of: call)
            said.insert(code.number)
            #expect(make(code.number).map { named(prefix, $0) } == code.name)
        }
        #expect((0...200).filter { make($0) != nil && !said.contains($0) } == unsaid)
    }

    // MARK: RTM 2

    private let signaling = AgoraRTM2Dialect()

    /// Every code that the dialect has for a call is a case here, under the same name.
    @Test func codesOfTheSecondGeneration() {
        for status in Status.allCases {
            for call in CallKind.allCases {
                let code = signaling.code(for: status, of: call)
                #expect(AgoraRtmErrorCode(rawValue: code.number).map { named("AgoraRtmError", $0) } == code.name)
            }
        }
    }

    @Test func eventsOfTheSecondGeneration() throws {
        func values(_ callback: String, _ field: String) throws -> [String] {
            let shape = try #require(signaling.callbacks.first { $0.name == callback })
            return try #require(shape.fields.first { $0.name == field }).values
        }
        func texts<Value: RawRepresentable<Int>>(
            _ prefix: String, _ numbers: [Int], _ make: (Int) -> Value?
        ) -> Set<String> {
            Set(numbers.compactMap(make).map { named(prefix, $0) })
        }
        let link = "didReceiveLinkStateEvent"
        #expect(
            Set(try values(link, "currentState")) == texts("AgoraRtmLinkState", Array(0...5), AgoraRtmLinkState.init))
        #expect(
            Set(try values(link, "operation"))
                == texts("AgoraRtmLinkOperation", Array(0...9), AgoraRtmLinkOperation.init))
        #expect(
            Set(try values(link, "reasonCode"))
                == texts("AgoraRtmLinkStateChangeReason", Array(0...37), AgoraRtmLinkStateChangeReason.init))
        #expect(
            Set(try values("connectionChangedToState", "state"))
                == texts("AgoraRtmClientConnectionState", Array(1...5), AgoraRtmClientConnectionState.init))
        #expect(
            Set(try values("connectionChangedToState", "reason"))
                == texts(
                    "AgoraRtmClientConnection", Array(0...24) + Array(10_001...10_003),
                    AgoraRtmClientConnectionChangeReason.init))
    }

    /// With their numbers, as link state events have them: `Name(number)`.
    @Test func numbersOfTheSecondGeneration() {
        func texts<Value: RawRepresentable<Int>>(
            _ prefix: String, _ numbers: ClosedRange<Int>, _ make: (Int) -> Value?
        ) -> [String] {
            numbers.compactMap(make).map { "\(named(prefix, $0))(\($0.rawValue))" }
        }
        let known = Set(
            texts("AgoraRtmLinkState", 0...5, AgoraRtmLinkState.init)
                + texts("AgoraRtmLinkOperation", 0...9, AgoraRtmLinkOperation.init)
                + texts("AgoraRtmLinkStateChangeReason", 0...37, AgoraRtmLinkStateChangeReason.init))
        for (state, reason) in LinkState.allCases.flatMap({ state in StateReason.allCases.map { (state, $0) } }) {
            let change = LinkChange(from: .connecting, to: state, reason: reason)
            let fields = signaling.callback(for: .notify(.linkChanged(change)))?.fields.map(\.value) ?? []
            #expect(fields.count == 6 && known.isSuperset(of: fields.prefix(4)), "\(fields)")
        }
    }
}
