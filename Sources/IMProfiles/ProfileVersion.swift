/// A version of a vendor's SDK, such as `agora-chat@5`. A profile name without a version, such as `agora-chat`, stands
/// for the earlier version.
public struct ProfileVersion: Sendable {
    /// The profile name with the version, such as `agora-chat@5`.
    public var name: String
    /// The dialect of the version, with its policies.
    public var dialect: any Dialect
    /// The calls that this version removed: a line of the vendor's guide for each, often with the replacement.
    public var removed: [String] = []
    /// Behaviour that the vendor documents for login, connection, kicks, devices and offline use, but that the dialect
    /// does not model; a line for each.
    public var notModelled: [String] = []

    /// All versions. The versions of a system follow each other, the earlier one first.
    public static let all: [ProfileVersion] = [
        ProfileVersion(name: "nim@v1", dialect: NIMDialect()),
        ProfileVersion(
            name: "nim@v2", dialect: NIMV2Dialect(),
            removed: [
                "autoLogin and onAutoLoginFailed: V2NIMLoginService.login, with useV1Login set to false",
                "reconnectDelay: a provider, which is called on entering WAITING",
                "the token of the login call for each reconnect: tokenProvider, which is called after the link is up",
            ], notModelled: nimV2),
        ProfileVersion(name: "agora-chat@4", dialect: AgoraChatDialect(), notModelled: chat4),
        ProfileVersion(
            name: "agora-chat@5", dialect: AgoraChat5Dialect(),
            removed: [
                "isAutoLogin and autoLoginDidCompleteWithError: the app logs in with a token at each start",
                "login and registration with a password: loginWithUsername:token:completion: only",
                "the list of devices and a kick with a password: with a token only",
                "older forms of the other-device callback: userAccountDidLoginFromOtherDeviceWithInfo: only",
                "ackConversationRead: clearConversationUnreadMessageCount and sendMessageReadReceipts",
                "synchronous calls and the service check",
            ], notModelled: chat5),
        ProfileVersion(name: "agora-rtm@1", dialect: AgoraRTMDialect()),
        ProfileVersion(
            name: "agora-rtm@2", dialect: AgoraRTM2Dialect(),
            removed: [
                "connectionStateChanged: didReceiveLinkStateEvent and connectionChangedToState",
                "rtmKitTokenDidExpire: tokenPrivilegeWillExpire before, the state Failed after",
                "completions with an error code of each call: a response and errorInfo with errorCode and reason",
                "the user id of the login call: the id in the configuration of the client",
                "messages with images and files, and call invitations",
            ], notModelled: rtm2),
        ProfileVersion(name: "zim@2", dialect: ZIMDialect(), notModelled: zim2),
        ProfileVersion(
            name: "zim@3", dialect: ZIM3Dialect(),
            removed: [
                "createWithAppID: and both loginWithUserInfo calls",
                "sendPeerMessage, sendRoomMessage, sendGroupMessage, and the older calls for media",
                "receivePeerMessage, receiveRoomMessage, receiveGroupMessage",
                "the older callbacks of call invitations",
                "import and export of local messages, without a successor",
            ], notModelled: zim3),
    ]

    /// The profile name without its version.
    public static func base(of name: String) -> String { String(name.prefix { $0 != "@" }) }

    /// The calls that were removed after one version of a system, up to a later one; empty if the versions are not in
    /// this order.
    public static func removed(from earlier: String, to later: String) -> [String] {
        guard let first = all.firstIndex(where: { $0.name == earlier }),
            let last = all.firstIndex(where: { $0.name == later }), first < last
        else { return [] }
        return all[(first + 1)...last].flatMap(\.removed)
    }

    /// Behaviour that a comparison of two versions cannot show, because one of them does not model it; each line with
    /// the name of that version. Empty if both versions are the same.
    public static func notModelled(from one: String, to other: String) -> [(version: String, line: String)] {
        guard one != other else { return [] }
        return all.filter { [one, other].contains($0.name) }.flatMap { version in
            version.notModelled.map { (version.name, $0) }
        }
    }
}
