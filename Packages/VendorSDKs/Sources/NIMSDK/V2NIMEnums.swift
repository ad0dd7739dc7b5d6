// Names and numbers of the vendor's headers (NIM iOS SDK 10.x, V2 interface), with the capitals that Swift leaves them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The login state.
public enum V2NIMLoginStatus: Int, Sendable, CaseIterable {
    case LOGIN_STATUS_LOGOUT = 0
    case LOGIN_STATUS_LOGINED = 1
    case LOGIN_STATUS_LOGINING = 2
}

/// The connection state.
public enum V2NIMConnectStatus: Int, Sendable, CaseIterable {
    case CONNECT_STATUS_DISCONNECTED = 0
    case CONNECT_STATUS_CONNECTED = 1
    case CONNECT_STATUS_CONNECTING = 2
    /// The SDK waits before the next attempt.
    case CONNECT_STATUS_WAITING = 3
}

/// The kind of data of a sync.
public enum V2NIMDataSyncType: Int, Sendable, CaseIterable {
    case DATA_SYNC_TYPE_MAIN = 1
    case DATA_SYNC_TYPE_TEAM_MEMBER = 2
    case DATA_SYNC_TYPE_SUPER_TEAM_MEMBER = 3
}

/// The state of a sync.
public enum V2NIMDataSyncState: Int, Sendable, CaseIterable {
    case DATA_SYNC_STATE_WAITING = 1
    case DATA_SYNC_STATE_SYNCING = 2
    case DATA_SYNC_STATE_COMPLETED = 3
}

/// The amount of data that a login syncs.
public enum V2NIMDataSyncLevel: Int, Sendable {
    case DATA_SYNC_LEVEL_FULL = 0
    case DATA_SYNC_LEVEL_BASIC = 1
}

/// The kind of a change of the user's other clients (NIM-13).
public enum V2NIMLoginClientChange: Int, Sendable, CaseIterable {
    /// They were logged in already.
    case LOGIN_CLIENT_CHANGE_LIST = 1
    case LOGIN_CLIENT_CHANGE_LOGIN = 2
    case LOGIN_CLIENT_CHANGE_LOGOUT = 3
}

/// The reason why others ended a login (NIM-12).
public enum V2NIMKickedOfflineReason: Int, Sendable, CaseIterable {
    case KICKED_OFFLINE_REASON_CLIENT_EXCLUSIVE = 1
    case KICKED_OFFLINE_REASON_SERVER = 2
    case KICKED_OFFLINE_REASON_CLIENT = 3
}

/// The kind of a client; bit values.
public enum V2NIMLoginClientType: Int, Sendable, CaseIterable {
    case LOGIN_CLIENT_TYPE_UNKNOWN = 0
    case LOGIN_CLIENT_TYPE_ANDROID = 1
    case LOGIN_CLIENT_TYPE_IOS = 2
    case LOGIN_CLIENT_TYPE_PC = 4
    case LOGIN_CLIENT_TYPE_WINPHONE = 8
    case LOGIN_CLIENT_TYPE_WEB = 16
    case LOGIN_CLIENT_TYPE_RESTFUL = 32
    case LOGIN_CLIENT_TYPE_MAC_OS = 64
}

/// The way of checking a token.
public enum V2NIMLoginAuthType: Int, Sendable {
    case LOGIN_AUTH_TYPE_DEFAULT = 0
    case LOGIN_AUTH_TYPE_DYNAMIC_TOKEN = 1
    case LOGIN_AUTH_TYPE_THIRD_PARTY = 2
}
