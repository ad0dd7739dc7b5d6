import AgoraChat
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import Testing

/// The module's names and numbers are those of the dialect, which the shell shows.
@Suite struct NameTests {
    private let dialect = AgoraChatDialect()

    /// The vendor's name of a case: the type's name and the case's name with a capital letter.
    private func name(_ value: some RawRepresentable<Int>, _ prefix: String) -> String {
        let word = "\(value)"
        return prefix + word.prefix(1).uppercased() + word.dropFirst() + "(\(value.rawValue))"
    }

    private func said(_ notification: ClientNotification, _ field: String) -> String? {
        dialect.callback(for: .notify(notification))?.fields.first { $0.name == field }?.value
    }

    /// The delegate methods of the module are the callbacks of the dialect; it ignores callbacks without a type here.
    @Test func callbacks() {
        #expect(
            dialect.callbacks.map(\.name) == [
                "connectionStateDidChange", "autoLoginDidCompleteWithError",
                "userAccountDidLoginFromOtherDeviceWithInfo", "userAccountDidForcedToLogout",
                "userAccountDidRemoveFromServer", "userDidForbidByServer", "tokenDidExpire", "tokenWillExpire",
                "onOfflineMessageSyncStart", "onOfflineMessageSyncFinish", "messagesDidReceive",
                "multiDevicesContactEventDidReceive", "multiDevicesGroupEventDidReceive",
                "multiDevicesChatThreadEventDidReceive", "multiDevicesConversationEvent",
                "multiDevicesMessageBeRemoved", "userDidJoinChatroom", "userDidLeaveChatroom", "onConversationRead",
                "messagesDidDeliver", "messagesDidRead",
            ])
    }

    @Test func states() {
        let words = AgoraChatConnectionState.allCases.map { name($0, "AgoraChatConnection") }
        var found: Set<String> = []
        for from in ClientState.allCases {
            for to in ClientState.allCases {
                let change = StateChange(from: from, to: to, reason: .login)
                found.formUnion(dialect.callback(for: .transition(change))?.fields.map(\.value) ?? [])
            }
        }
        #expect(found == Set(words))
    }

    /// Every code of the dialect is a case with that name; there are further cases.
    @Test func codes() {
        var found: Set<Int> = []
        for call in CallKind.allCases {
            for status in Status.allCases {
                let code = dialect.code(for: status, of: call)
                found.insert(code.number)
                #expect(
                    AgoraChatErrorCode(rawValue: code.number).map { name($0, "AgoraChatError") } == code.description)
            }
        }
        #expect(found.count > 20)
        #expect(
            said(.tokenWillExpire(inMilliseconds: 1), "code")
                == name(AgoraChatErrorCode.tokeWillExpire, "AgoraChatError"))
        #expect(said(.tokenExpired, "code") == name(AgoraChatErrorCode.tokenExpire, "AgoraChatError"))
    }

    /// The header has one more word in the names of threads' events than the dialect.
    @Test func events() throws {
        for event in AgoraChatMultiDevicesEvent.allCases where event != .unknow {
            let number = try #require(UInt8(exactly: event.rawValue))
            let kind = try #require(OperationKind(rawValue: number))
            let operation = DeviceOperation(id: "1", kind: kind, target: "x")
            let word = name(event, "AgoraChatMultiDevicesEvent").replacing("EventChatThread", with: "EventThread")
            #expect(said(.operated(operation), "event") == word)
        }
        let numbers = OperationKind.allCases.map { Int($0.rawValue) }.filter { $0 < 100 }
        #expect(Set(numbers + [-1]) == Set(AgoraChatMultiDevicesEvent.allCases.map(\.rawValue)))
    }

    /// The calls on local data are those of the shell, under the vendor's names.
    @Test func localCalls() {
        let names = LocalCallName.all.filter { $0.profile == dialect.profile }.map(\.name)
        #expect(
            Set(names).isSuperset(of: [
                "getAllConversations", "getConversation", "loadMessagesStartFromId", "deleteMessageWithId",
                "markAllMessagesAsRead", "getContacts", "getBlackList",
            ]))
    }
}
