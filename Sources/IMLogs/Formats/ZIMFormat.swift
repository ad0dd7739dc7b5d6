extension ShippedFormats {
    // swift-format-ignore
    static let zim = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_zim": {
        "title": "ZEGO ZIM: callbacks, also in ZegoUIKit's braces",
        "regex": {
          "z_braces": {
            "pattern": "^\\{(?<body>.*)\\} +\\{(?<timestamp>\\d{2}/\\d{2}/\\d{4} \\d{2}:\\d{2}:\\d{2})\\} +\\{[A-Z]+\\}$"
          }
        },
        "timestamp-format": [
          "%d/%m/%Y %H:%M:%S"
        ],
        "search-table": {
          "callback_connectionStateChanged": {
            "pattern": "onnectionStateChanged\\b.{0,40}?\\bstate\\s*[:=]\\s*(?:\\w+\\()?(?<state>\\d)\\)?.{0,20}?\\bevent\\s*[:=]\\s*(?:\\w+\\()?(?<event>\\d)"
          },
          "callback_connectionStateChanged__state_0__event_0__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:success)\\b"
          },
          "callback_connectionStateChanged__state_0__event_2__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:(?:login)?Timeout)\\b"
          },
          "callback_connectionStateChanged__state_0__event_3__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:(?:login)?Interrupted)\\b"
          },
          "callback_connectionStateChanged__state_0__event_4__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:KickedOut)\\b"
          },
          "callback_connectionStateChanged__state_0__event_5__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:TokenExpired)\\b"
          },
          "callback_connectionStateChanged__state_0__event_6__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:disconnected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:UnRegistered)\\b"
          },
          "callback_connectionStateChanged__state_1__event_1__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:connecting)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:(?:ActiveLogin|success))\\b"
          },
          "callback_connectionStateChanged__state_2__event_0__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:connected)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:(?:ActiveLogin|success))\\b"
          },
          "callback_connectionStateChanged__state_3__event_3__word": {
            "pattern": "onnectionStateChanged\\b.{0,40}?ZIMConnectionState[._]?(?i:reconnecting)\\b.{0,40}?ZIMConnectionEvent[._]?(?i:(?:login)?Interrupted)\\b"
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
