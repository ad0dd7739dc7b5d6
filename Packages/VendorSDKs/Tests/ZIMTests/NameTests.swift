import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import Testing
import ZIM

/// The module's names and numbers are those of the dialect, which the shell shows, and those of local data.
@Suite struct NameTests {
    private let dialect = ZIMDialect()

    /// A case as the header spells it: the type's name and the case's name with a capital letter.
    private func named<Value: RawRepresentable>(_ prefix: String, _ value: Value) -> String {
        let word = "\(value)"
        return prefix + word.prefix(1).uppercased() + word.dropFirst()
    }

    private func said<Value: RawRepresentable>(_ prefix: String, _ value: Value) -> String {
        "\(named(prefix, value))(\(value.rawValue))"
    }

    /// The event handler has every callback of the dialect except the progress, which is a block of a call.
    @Test func callbacks() {
        #expect(
            dialect.callbacks.map(\.name) == [
                "connectionStateChanged", "peerMessageReceived", "progress", "groupMessageReceived",
                "tokenWillExpire", "userStatusUpdated", "conversationSyncStateChanged", "userInfoUpdated",
                "friendListChanged",
                "friendApplicationListChanged", "blacklistChanged", "groupStateChanged", "groupMemberStateChanged",
                "groupApplicationListChanged", "conversationChanged", "messageRevokeReceived", "messageDeleted",
                "messageReceiptChanged", "messageReactionsChanged", "callInvitationReceived",
            ])
    }

    @Test func statesAndEvents() {
        var said: Set<String> = []
        for from in ClientState.allCases {
            for to in ClientState.allCases {
                for reason in StateReason.allCases {
                    let change = StateChange(from: from, to: to, reason: reason)
                    said.formUnion(dialect.callback(for: .transition(change))?.fields.map(\.value) ?? [])
                }
            }
        }
        let states = ZIMConnectionState.allCases.map { self.said("ZIMConnectionState", $0) }
        // A newer header has one more, which no rule uses.
        let events = ZIMConnectionEvent.allCases.filter { $0 != .unregistered }.map {
            self.said("ZIMConnectionEvent", $0)
        }
        #expect(said == Set(states + events))
    }

    @Test func presenceAndSync() {
        let presence = PresenceChange.allCases.map {
            dialect.callback(for: .notify(.presence(user: "bob", $0)))?.fields.last?.value
        }
        #expect(
            Set(presence)
                == Set(ZIMUserOnlineStatus.allCases.filter { $0 != .unknown }.map { said("ZIMUserOnlineStatus", $0) }))
        let sync = DataSyncState.allCases.map { dialect.callback(for: .notify(.dataSync($0)))?.fields.first?.value }
        #expect(
            sync
                == ZIMConversationSyncState.allCases.filter { $0 != .failed }.map {
                    said("ZIMConversationSyncState", $0)
                })
    }

    /// Every code of the dialect is a case here. Two have other names in the vendor's header, which apps compile
    /// against.
    @Test func codes() {
        let otherwise = [
            "ZIMErrorCodeGroupModuleGroupDoesNotExist": "ZIMErrorCodeGroupModuleGroupDoseNotExist",
            "ZIMErrorCodeConversationModuleConversationDoesNotExist":
                "ZIMErrorCodeConversationModuleConversationDoseNotExist",
            "ZIMErrorCodeCommonModuleDAULimit": "ZIMErrorCodeCommonModuleExceedDAULimit",
            "ZIMErrorCodeNetworkModuleOfflineLoginUserMismatch": "ZIMErrorCodeNetworkModuleUserIDError",
        ]
        var met: Set<String> = []
        for status in Status.allCases {
            for call in CallKind.allCases {
                let code = dialect.code(for: status, of: call)
                let value = ZIMErrorCode(rawValue: UInt(code.number))
                #expect(value.map { named("ZIMErrorCode", $0) } == otherwise[code.name] ?? code.name)
                if otherwise[code.name] != nil { met.insert(code.name) }
            }
        }
        #expect(met == Set(otherwise.keys))
        #expect(Set(ZIMErrorCode.allCases.map(\.rawValue)).count == ZIMErrorCode.allCases.count)
    }

    /// The numbers in local data are the vendor's.
    @Test func localData() {
        #expect(
            LocalMessage.Kind.allCases.map { "\($0.name) \($0.rawValue)" }
                == ZIMMessageType.allCases.filter { $0 != .unknown && $0 != .system }.map { "\($0) \($0.rawValue)" })
        #expect(
            LocalMessage.SentStatus.allCases.map { UInt($0.rawValue) } == ZIMMessageSentStatus.allCases.map(\.rawValue))
        #expect(
            ConversationID.Kind.allCases.map { "\($0.name) \($0.rawValue)" }
                == [ZIMConversationType.peer, .group].map { "\($0) \($0.rawValue)" })
        #expect(
            ApplicationState.allCases.map { "\($0.name) \($0.rawValue)" }
                == ZIMFriendApplicationState.allCases.map { "\($0) \($0.rawValue)" })
        #expect(
            ApplicationState.allCases.map { "\($0.name) \($0.rawValue)" }
                == ZIMGroupApplicationState.allCases.map { "\($0) \($0.rawValue)" })
        #expect(
            GroupMember.Role.allCases.map { Int32($0.rawValue) }
                == [ZIMGroupMemberRoleOwner, ZIMGroupMemberRoleAdmin, ZIMGroupMemberRoleMember])
        #expect(
            GroupApplication.Kind.allCases.map { UInt($0.rawValue) }
                == ZIMGroupApplicationType.allCases.filter { $0 != .none }.map(\.rawValue))
    }

    /// The numbers that calls pass to local data are those of its terms.
    @Test func choices() {
        func numbers(_ call: LocalCall, _ name: String) -> [Int] {
            switch call.declaration[name]?.kind {
            case .choice(let choices), .choices(let choices): choices.map(\.number)
            default: []
            }
        }
        #expect(
            numbers(.queryHistoryMessage, "mode") == ZIMMessageQueryMode.allCases.map { Int($0.rawValue) })
        #expect(
            numbers(.searchGlobalLocalMessages, "order") == ZIMMessageOrder.allCases.map { Int($0.rawValue) })
        #expect(
            numbers(.queryConversationList, "pinnedFilter")
                == ZIMConversationPinnedFilter.allCases.map { Int($0.rawValue) })
        #expect(
            numbers(.searchLocalConversations, "mode")
                == ZIMConversationSearchMode.allCases.map { Int($0.rawValue) })
    }
}
