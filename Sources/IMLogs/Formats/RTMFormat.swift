extension ShippedFormats {
    // swift-format-ignore
    static let rtm = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_rtm": {
        "title": "Agora RTM 1.x",
        "search-table": {
          "callback_connectionStateChanged": {
            "pattern": "onnection [Ss]tate [Cc]hanged?\\s*(?:to)?\\s*:?\\s*(?<state>\\d),? (?i:reason)\\s*:?\\s*(?<reason>\\d+)"
          },
          "callback_connectionStateChanged__b": {
            "pattern": "onnectionStateChanged\\b.{0,20}?(?i:state)\\s*[:=]\\s*(?<state>\\d).{0,20}?(?i:reason)\\s*[:=]\\s*(?<reason>\\d+)"
          },
          "callback_connectionStateChanged__state_1__reason_3__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bDISCONNECTED\\b.{0,20}\\bLOGIN_FAILURE\\b"
          },
          "callback_connectionStateChanged__state_1__reason_4__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bDISCONNECTED\\b.{0,20}\\bLOGIN_TIMEOUT\\b"
          },
          "callback_connectionStateChanged__state_1__reason_6__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bDISCONNECTED\\b.{0,20}\\bLOGOUT\\b"
          },
          "callback_connectionStateChanged__state_1__reason_9__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bDISCONNECTED\\b.{0,20}\\bTOKEN_EXPIRED\\b"
          },
          "callback_connectionStateChanged__state_1__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bDISCONNECTED\\b.{0,20}\\b(?<reason>[A-Z_]{5,})\\b"
          },
          "callback_connectionStateChanged__state_2__reason_1__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bCONNECTING\\b.{0,20}\\bLOGIN\\b"
          },
          "callback_connectionStateChanged__state_2__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bCONNECTING\\b.{0,20}\\b(?<reason>[A-Z_]{5,})\\b"
          },
          "callback_connectionStateChanged__state_3__reason_2__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bCONNECTED\\b.{0,20}\\bLOGIN_SUCCESS\\b"
          },
          "callback_connectionStateChanged__state_3__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bCONNECTED\\b.{0,20}\\b(?<reason>[A-Z_]{5,})\\b"
          },
          "callback_connectionStateChanged__state_4__reason_5__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bRECONNECTING\\b.{0,20}\\bINTERRUPTED\\b"
          },
          "callback_connectionStateChanged__state_4__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bRECONNECTING\\b.{0,20}\\b(?<reason>[A-Z_]{5,})\\b"
          },
          "callback_connectionStateChanged__state_5__reason_7__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bABORTED\\b.{0,20}\\bBANNED_BY_SERVER\\b"
          },
          "callback_connectionStateChanged__state_5__reason_8__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bABORTED\\b.{0,20}\\bREMOTE_LOGIN\\b"
          },
          "callback_connectionStateChanged__state_5__reason_9__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bABORTED\\b.{0,20}\\bTOKEN_EXPIRED\\b"
          },
          "callback_connectionStateChanged__state_5__web": {
            "pattern": "ConnectionStateChanged\\b.{0,20}\\bABORTED\\b.{0,20}\\b(?<reason>[A-Z_]{5,})\\b"
          },
          "return_login": {
            "pattern": "\\blogin failed errorCode\\s*[:=]\\s*(?<code>\\d+)"
          },
          "callback_rtmKitTokenDidExpire": {
            "pattern": "Token(?:DidExpire|Expired)\\b"
          }
        }
      }
    }
    """##
}
