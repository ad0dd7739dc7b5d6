extension ShippedFormats {
    // swift-format-ignore
    static let nim = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_nim": {
        "title": "NetEase NIM: callbacks as apps print them",
        "search-table": {
          "callback_observeOnlineStatus": {
            "pattern": "(?i:status(?:code)? ?(?:has )?changed?(?: to)?|StatusCode|observeOnlineStatus)\\s*[:;,=>-]{0,2}\\s*(?:(?i:status(?:code)?)\\s*[:=.]\\s*)?(?<status>INVALID|UNLOGIN|NET_BROKEN|CONNECTING|LOGINING|SYNCING|LOGINED|KICKOUT|KICK_BY_OTHER_CLIENT|FORBIDDEN|VER_ERROR|PWD_ERROR|DATA_UPGRADE)\\b"
          },
          "callback_observeOnlineStatus__event": {
            "pattern": "\\b(?i:onEvent|onlineStatus|online status|status|code)\\s*[:;,=>-]{0,2}\\s*(?:(?i:status(?:code)?)\\s*[:=.]\\s*)?(?<status>UNLOGIN|NET_BROKEN|LOGINING|LOGINED|KICKOUT|KICK_BY_OTHER_CLIENT|VER_ERROR|PWD_ERROR|DATA_UPGRADE)\\b"
          },
          "callback_observeOnlineStatus__word": {
            "pattern": "^(?:StatusCode\\.)?(?<status>UNLOGIN|NET_BROKEN|LOGINING|LOGINED|KICKOUT|KICK_BY_OTHER_CLIENT|VER_ERROR|PWD_ERROR|DATA_UPGRADE)$"
          },
          "callback_observeOnlineStatus__number": {
            "pattern": "\\bStatusCode\\s*[:=]{1,2}\\s*(?<status>\\d{1,2})\\b"
          },
          "return_login": {
            "pattern": "\\bmethod:\\s*AuthService/login,\\s*result:\\s*(?<code>\\d+)"
          },
          "callback_onLogin": {
            "pattern": "\\bonLogin\\b[\\s:(\\[,]*(?:login)?(?:step)?\\s*[:=]?\\s*(?<step>\\d{1,2})\\b"
          },
          "callback_onLogin__step_1__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:Linking)\\b"
          },
          "callback_onLogin__step_2__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:LinkOK)\\b"
          },
          "callback_onLogin__step_3__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:LinkFailed)\\b"
          },
          "callback_onLogin__step_4__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:Logining)\\b"
          },
          "callback_onLogin__step_5__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:LoginOK)\\b"
          },
          "callback_onLogin__step_6__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:LoginFailed)\\b"
          },
          "callback_onLogin__step_7__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:Syncing)\\b"
          },
          "callback_onLogin__step_8__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:SyncOK)\\b"
          },
          "callback_onLogin__step_9__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:LoseConnection)\\b"
          },
          "callback_onLogin__step_10__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:NetChanged)\\b"
          },
          "callback_onLogin__step_11__word": {
            "pattern": "\\bonLogin\\b.{0,40}(?:NIMLoginStep|\\.)(?i:Logout)\\b"
          },
          "callback_onKick": {
            "pattern": "\\bonKick(?:out)?\\b.{0,20}?(?:reason|code)(?:Code)?\\s*[:=]\\s*(?<reason>\\d+)(?:.{0,20}?clientType\\s*[:=]\\s*(?<clientType>\\d+))?"
          },
          "callback_onAutoLoginFailed": {
            "pattern": "\\bonAutoLoginFailed\\b.{0,200}?(?i:code)\\s*[:=]\\s*\\\"?(?<error>\\d+)"
          },
          "callback_onMultiLoginClientsChanged": {
            "pattern": "\\bonMultiLoginClientsChanged(?:WithType)?\\b[\\s:(]*(?:type)?\\s*[:=]?\\s*(?<type>\\d)"
          }
        }
      }
    }
    """##
}
