extension ShippedFormats {
    // swift-format-ignore
    static let zim = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_zim": {
        "title": "ZEGO ZIM: callbacks, also in ZegoUIKit's braces",
        "search-table": {
          "callback_connectionStateChanged": {
            "pattern": "onnectionStateChanged\\b.{0,40}?\\bstate\\s*[:=]\\s*(?:\\w+\\()?(?<state>\\d)\\)?.{0,20}?\\bevent\\s*[:=]\\s*(?:\\w+\\()?(?<event>\\d)"
          },
          "callback_tokenWillExpire": {
            "pattern": "okenWillExpire\\b.{0,20}?second\\w*\\s*[:=]\\s*(?<second>\\d+)"
          },
          "call_login": {
            "pattern": "\\bZIM\\b.{0,20}\\blogin\\b.{0,20}userID\\s*[:=]\\s*(?<user>[\\w-]+)"
          }
        }
      }
    }
    """##
}
