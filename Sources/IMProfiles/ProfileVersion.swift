/// A version of a vendor's SDK, such as `agora-chat@5`. The name without a version is the one that the library has.
public struct ProfileVersion: Sendable {
    /// `agora-chat@5`.
    public var name: String
    /// What it does.
    public var dialect: any Dialect

    /// Every version.
    public static let all: [ProfileVersion] = [
        ProfileVersion(name: "nim@v1", dialect: NIMDialect()), ProfileVersion(name: "nim@v2", dialect: NIMV2Dialect()),
        ProfileVersion(name: "agora-chat@4", dialect: AgoraChatDialect()),
        ProfileVersion(name: "agora-chat@5", dialect: AgoraChat5Dialect()),
    ]

    /// The profile without its version.
    public static func base(of name: String) -> String { String(name.prefix { $0 != "@" }) }
}

/// A line of a vendor's guide from one version to the next, for what an app sees differently.
public struct MigrationNote: Sendable {
    /// The callback or call that it explains.
    public var words: [String]
    /// The line.
    public var text: String

    /// The line for a callback or a result; nil if the guide has none.
    public static func text(for seen: String, of profile: String) -> String? {
        let notes = ProfileVersion.base(of: profile) == "nim" ? nim : chat
        return notes.first { note in note.words.contains { seen.contains($0) } }?.text
    }

    private static let nim = [
        MigrationNote(
            words: ["417", "onLoginFailed", "onAutoLoginFailed"],
            text: "V2: forceMode counts as false in a reconnect, so a device that finds its place taken is refused "
                + "with 417 and not kicked"),
        MigrationNote(words: ["onKick"], text: "V2: onKickedOffline replaces onKick"),
        MigrationNote(words: ["autologin"], text: "V2: one login call; there is no autoLogin"),
        MigrationNote(
            words: ["onLogin ", "onLoginStatus", "onConnectStatus", "onConnectFailed", "onDisconnected", "onDataSync"],
            text: "V2: onLoginStatus, onConnectStatus and onDataSync replace the steps of onLogin"),
        MigrationNote(
            words: ["onMultiLoginClientsChanged", "onLoginClientChanged"],
            text: "V2: onLoginClientChanged replaces onMultiLoginClientsChanged"),
        MigrationNote(
            words: ["onRecvMessages", "onReceiveMessages"], text: "V2: onReceiveMessages replaces onRecvMessages"),
    ]

    private static let chat = [
        MigrationNote(
            words: ["autoLogin", "autologin"],
            text: "5.0: automatic login is removed; the app logs in with a token at each start"),
        MigrationNote(
            words: ["userAccountDidForcedToLogout"],
            text: "5.0: 104, 110, 204 and 213 end the login without a callback, so it looks like a lost network"),
        MigrationNote(
            words: ["onOfflineMessageSync", "syncData"],
            text: "5.0: syncDataStartWithType and syncDataFinished replace onOfflineMessageSyncStart and Finish"),
        MigrationNote(
            words: ["connectionStateDidChange"],
            text: "5.0: an expired token (108) has only tokenDidExpire, and no change of the connection's state"),
        MigrationNote(words: ["300", "(2)"], text: "5.0: a weak network is 300 or 303, no longer 2"),
        MigrationNote(words: ["104", "202"], text: "5.0: passwords are removed; a refused token is 104"),
    ]
}
