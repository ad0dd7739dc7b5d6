extension ShippedFormats {
    // swift-format-ignore
    static let easemob = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_easemob": {
        "title": "Easemob and Agora Chat: easemob.log",
        "file-pattern": "easemob.*\\.log",
        "regex": {
          "a_std": {
            "pattern": "^\\[(?<timestamp>\\d{4}/\\d{1,2}/\\d{1,2} \\d{1,2}:\\d{1,2}:\\d{1,2}:\\d{1,3})\\]: ?(?<body>.*)$"
          }
        },
        "timestamp-format": [
          "%Y/%m/%d %H:%M:%S:%L"
        ],
        "search-table": {
          "life_start": {
            "pattern": "EMChatClientImpl::init\\(\\)"
          },
          "call_login": {
            "pattern": "EMSessionManager::login\\(\\): (?<user>\\S+)"
          },
          "return_login": {
            "pattern": "^login return: (?<code>\\d+)"
          },
          "callback_connectionStateDidChange__state_0": {
            "pattern": "^EMSessionManager::onConnect\\(\\)"
          },
          "callback_connectionStateDidChange__state_1": {
            "pattern": "^EMSessionManager::onDisConnect\\(\\): (?<reason>\\d+)"
          },
          "callback_userAccountDidLoginFromOtherDevice__code_206": {
            "pattern": "^ConnUserLoginAnotherDevice"
          },
          "call_logout": {
            "pattern": "^begin logout"
          },
          "return_logout__code_0": {
            "pattern": "^logout complete"
          },
          "frame_out_any": {
            "pattern": "SEND:\\s*\\{.*?command : (?<event_name>\\w+)(?:.*?\\bns : (?<ns>\\w+))?(?:.*?operation : (?<operation>\\d+))?"
          },
          "frame_in_any": {
            "pattern": "RECV:\\s*\\{.*?command : (?<event_name>\\w+)(?:.*?\\bns : (?<ns>\\w+))?(?:.*?operation : (?<operation>\\d+))?(?:.*?error_code : (?<error_code>\\d+))?"
          }
        },
        "sample": [
          {
            "line": "[2019/10/24 14:0:7:4]: EMChatClientImpl::init()"
          }
        ]
      }
    }
    """##
}
