extension ShippedFormats {
    // swift-format-ignore
    static let chat = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_chat": {
        "title": "Agora Chat: callbacks of Android, React Native and Flutter",
        "search-table": {
          "callback_onDisconnected": {
            "pattern": "\\bonDisconnected\\b[\\s:(,\\[]*(?i:error ?code|error|code)?\\s*[:=]?\\s*(?<error>\\d{1,3})\\b"
          },
          "callback_onLogout": {
            "pattern": "\\bonLogout\\b[\\s:(,\\[]*(?i:error ?code|error|code)?\\s*[:=]?\\s*(?<error>\\d{3})\\b"
          },
          "callback_onUserDidLoginFromOtherDevice": {
            "pattern": "\\bonUserDidLoginFromOtherDevice(?:WithInfo)?\\b"
          },
          "callback_onUserDidRemoveFromServer": {
            "pattern": "\\bonUserDidRemoveFromServer\\b"
          },
          "callback_onUserDidForbidByServer": {
            "pattern": "\\bonUserDidForbidByServer\\b"
          },
          "callback_onUserKickedByOtherDevice": {
            "pattern": "\\bonUserKickedByOtherDevice\\b"
          },
          "callback_onUserDidChangePassword": {
            "pattern": "\\bonUserDidChangePassword\\b"
          }
        }
      }
    }
    """##
}
