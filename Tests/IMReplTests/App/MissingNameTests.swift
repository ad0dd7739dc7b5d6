import IMShell
import Testing

/// Tests of the hints for names that a vendor's module does not have.
@Suite struct MissingNameTests {
    private let names = ModuleNames(
        text: """
            public final class ZIM: NSObject, @unchecked Sendable {
                public weak var handler: (any ZIMEventHandler)?
                private var secret = 0
                @discardableResult
                public func logout() -> Bool { true }
            }
            extension ZIM {
                public func queryConversationList(with config: ZIMConversationQueryConfig) {
                    var localName = 0
                }
            }
            public protocol ZIMEventHandler: AnyObject {
                func zim(_ zim: ZIM, connectionStateChanged state: Int)
            }
            public class ZIMMessage {
                public var message = ""
            }
            public final class ZIMTextMessage: ZIMMessage {}
            public enum ZIMConnectionState: Int {
                case disconnected = 0
                case connected, reconnecting
            }
            public typealias ZIMText = ZIMTextMessage
            struct Hidden {}
            open class ZIMOptions: NSObject {
                open var isAutoLogin = true
            }
            """)

    @Test func publicNamesAreRead() {
        #expect(
            names.topLevel.sorted() == [
                "ZIM", "ZIMConnectionState", "ZIMEventHandler", "ZIMMessage", "ZIMOptions", "ZIMText", "ZIMTextMessage",
            ])
        #expect(names.members(of: "ZIMOptions") == ["isAutoLogin"])
        #expect(
            names.members(of: "ZIM").sorted()
                == ["handler", "logout", "queryConversationList"])
        #expect(names.members(of: "ZIMConnectionState") == ["connected", "disconnected", "reconnecting"])
        #expect(names.members(of: "ZIMText") == ["message"])
        #expect(names.hasType("ZIMText") && !names.hasType("LoginManager"))
    }

    @Test func theNearestNameOfTheTypeIsNamed() {
        let missing = MissingNames(
            buildOutput: """
                /app/Manager.swift:3:9: error: value of type 'ZIM' has no member 'logOutt'
                /app/Manager.swift:4:9: error: value of type 'ZIM?' has no member 'queryConversationsList'
                /app/Manager.swift:9:9: error: value of type 'ZIM' has no member 'logOutt'
                /app/Manager.swift:5:9: error: type 'ZIMConnectionState' has no member 'conected'
                /app/Manager.swift:6:9: error: value of type 'ZIMText' (aka 'ZIMTextMessage') has no member 'mesage'
                /app/Manager.swift:7:9: error: value of type 'any ZIMEventHandler' has no member 'unrelatedThing'
                /app/Manager.swift:8:9: error: value of type 'LoginManager' has no member 'logout'
                /app/Manager.swift:9:9: error: cannot find type 'ZIMTextMesage' in scope
                /app/Manager.swift:9:9: error: cannot find 'AppConfig' in scope
                /app/Manager.swift:9:9: warning: variable was never used
                """, names)
        #expect(
            missing.lines == [
                "'logOutt' of 'ZIM' (Manager.swift:3): the nearest name is 'logout'",
                "'queryConversationsList' of 'ZIM' (Manager.swift:4): the nearest name is 'queryConversationList'",
                "'conected' of 'ZIMConnectionState' (Manager.swift:5): the nearest name is 'connected'",
                "'mesage' of 'ZIMTextMessage' (Manager.swift:6): the nearest name is 'message'",
                "'unrelatedThing' of 'ZIMEventHandler' (Manager.swift:7): no name of it is near",
                "'ZIMTextMesage' (Manager.swift:9): the nearest name is 'ZIMTextMessage'",
                "'AppConfig' (Manager.swift:9): not of the SDK; link the file that declares it into App, or write a stub",
            ])
    }

    @Test func aTextShowsWhichTypesAreMissing() {
        let text = """
            import ZIM
            // `ZIMImageMessage` is not used in this text.
            final class ZIMService: ZIMEventHandler {
                var message: ZIMTxtMessage?
                var call: ZIMRoomAdvancedConfiguration?
            }
            """
        let missing = MissingNames(texts: [text], prefixes: ["ZIM"], names)
        #expect(
            missing.lines == [
                "'ZIMRoomAdvancedConfiguration': no name is near",
                "'ZIMTxtMessage': the nearest name is 'ZIMTextMessage'",
            ])
        #expect(MissingNames(texts: [text], prefixes: [], names).lines == [])
    }
}
