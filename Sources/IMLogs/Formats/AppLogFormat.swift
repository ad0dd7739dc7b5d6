extension ShippedFormats {
    // swift-format-ignore
    static let appLog = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_app": {
        "title": "An app's own log: time, [category], words",
        "regex": {
          "z_bracket": {
            "pattern": "^(?<timestamp>\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}[ T]\\d{1,2}:\\d{1,2}:\\d{1,2}(?:[.,:]\\d{1,9})?(?:Z|[+-]\\d{2}:?\\d{2})?) (?:(?<level>[VDIWEF]) )?(?:\\[(?<tag>[^\\]]+)\\] |<(?<angletag>[\\w.-]{1,40})> )?(?<body>.*)$"
          }
        },
        "timestamp-format": [
          "%Y-%m-%d %H:%M:%S.%f%z",
          "%Y-%m-%d %H:%M:%S.%f",
          "%Y-%m-%d %H:%M:%S,%f%z",
          "%Y-%m-%d %H:%M:%S,%f",
          "%Y-%m-%d %H:%M:%S:%f",
          "%Y-%m-%d %H:%M:%S%z",
          "%Y-%m-%d %H:%M:%S",
          "%Y-%m-%dT%H:%M:%S.%f%z",
          "%Y-%m-%dT%H:%M:%S.%f",
          "%Y-%m-%dT%H:%M:%S,%f%z",
          "%Y-%m-%dT%H:%M:%S,%f",
          "%Y-%m-%dT%H:%M:%S:%f",
          "%Y-%m-%dT%H:%M:%S%z",
          "%Y-%m-%dT%H:%M:%S",
          "%Y/%m/%d %H:%M:%S.%f%z",
          "%Y/%m/%d %H:%M:%S.%f",
          "%Y/%m/%d %H:%M:%S,%f%z",
          "%Y/%m/%d %H:%M:%S,%f",
          "%Y/%m/%d %H:%M:%S:%f",
          "%Y/%m/%d %H:%M:%S%z",
          "%Y/%m/%d %H:%M:%S",
          "%Y/%m/%dT%H:%M:%S.%f%z",
          "%Y/%m/%dT%H:%M:%S.%f",
          "%Y/%m/%dT%H:%M:%S,%f%z",
          "%Y/%m/%dT%H:%M:%S,%f",
          "%Y/%m/%dT%H:%M:%S:%f",
          "%Y/%m/%dT%H:%M:%S%z",
          "%Y/%m/%dT%H:%M:%S"
        ],
        "sample": [
          {
            "line": "2026-11-20 09:31:02.391 [IM] onLogin step=1"
          }
        ]
      },
      "imrepl_calls": {
        "title": "Lines of calls and callbacks as an app writes them",
        "search-table": {
          "call_any": {
            "pattern": "^call (?<event_name>[\\w.:-]+)(?<fields>(?: [\\w.-]+=(?:\\\"(?:[^\\\"\\\\]|\\\\.)*\\\"|\\S+))*)$"
          },
          "return_any": {
            "pattern": "^return (?<event_name>[\\w.:-]+)(?<fields>(?: [\\w.-]+=(?:\\\"(?:[^\\\"\\\\]|\\\\.)*\\\"|\\S+))*)$"
          },
          "life_start": {
            "pattern": "^start process\\b"
          },
          "life_background": {
            "pattern": "^life background$"
          },
          "life_foreground": {
            "pattern": "^life foreground$"
          },
          "callback_any": {
            "pattern": "^(?<event_name>on[A-Z]\\w+|connectionStateChanged|connectionStateDidChange|valueChanged|child(?:Added|Changed|Removed|Moved)|cancelled|messageReceived|messagesDidReceive|tokenWillExpire|tokenDidExpire|rtmKitTokenDidExpire|conversation\\w+|did(?:Remove|Update)RecentSession|friend\\w*(?:Changed|Deleted)|friendApplicationListChanged|friendListChanged|groupApplicationListChanged|groupMemberStateChanged|groupStateChanged|message(?:Deleted|ReactionsChanged|ReceiptChanged|RevokeReceived)|userInfoUpdated|userStatusUpdated|userAccount\\w+|userDid\\w+|multiDevices\\w+|autoLoginDidCompleteWithError|messagesDid\\w+|memberJoined|memberLeft|channelMessageReceived|peersOnlineStatusChanged|peerMessageReceived|groupMessageReceived|connected|serverTimeOffset|transactionCompleted)(?<fields>(?: [\\w.-]+=(?:\\\"(?:[^\\\"\\\\]|\\\\.)*\\\"|\\S+))*)$"
          }
        }
      }
    }
    """##
}
