extension ShippedFormats {
    // swift-format-ignore
    static let logcat = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_logcat": {
        "title": "Android logcat, every form of -v",
        "regex": {
          "a_threadtime": {
            "pattern": "^(?<timestamp>(?:\\d{4}-)?\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?: [+-]\\d{4})?)\\s+(?:(?<uid>\\w+)\\s+)?(?<pid>\\d+)\\s+(?<tid>\\d+) (?<level>[VDIWEFS]) (?<tag>[^:]*?)\\s*: (?<body>.*)$"
          },
          "b_time": {
            "pattern": "^(?<timestamp>(?:\\d{4}-)?\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?: [+-]\\d{4})?) (?<level>[VDIWEFS])/(?<tag>[^(]*?)\\s*\\(\\s*(?:\\w+:)?\\s*(?<pid>\\d+)\\): (?<body>.*)$"
          },
          "c_long": {
            "pattern": "^\\[ (?<timestamp>(?:\\d{4}-)?\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?: [+-]\\d{4})?)\\s+(?:\\w+:)?\\s*(?<pid>\\d+):\\s*(?<tid>\\d+) (?<level>[VDIWEFS])/(?<tag>.*?)\\s*\\]$"
          },
          "d_brief": {
            "pattern": "^(?<level>[VDIWEFS])/(?<tag>[^(]*?)\\s*\\(\\s*(?:\\w+:)?\\s*(?<pid>\\d+)\\): (?<body>.*)$"
          },
          "e_process": {
            "pattern": "^(?<level>[VDIWEFS])\\(\\s*(?<pid>\\d+)\\) (?<body>.*?)  \\((?<tag>[^)]*)\\)$"
          },
          "f_thread": {
            "pattern": "^(?<level>[VDIWEFS])\\(\\s*(?<pid>\\d+):\\s*(?<tid>\\d+)\\) (?<body>.*)$"
          },
          "g_tag": {
            "pattern": "^(?<level>[VDIWEFS])/(?<tag>[^:(]{1,40}?)\\s*: (?<body>.*)$"
          },
          "h_studio": {
            "pattern": "^(?<timestamp>(?:\\d{4}-)?\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?: [+-]\\d{4})?)\\s+(?<pid>\\d+)-(?<tid>\\d+)\\s+(?<tag>\\S+)\\s+(?<package>\\S+)\\s+(?<level>[VDIWEFA])  (?<body>.*)$"
          }
        },
        "timestamp-format": [
          "%Y-%m-%d %H:%M:%S.%f %z",
          "%Y-%m-%d %H:%M:%S.%f",
          "%m-%d %H:%M:%S.%f %z",
          "%m-%d %H:%M:%S.%f"
        ],
        "sample": [
          {
            "line": "11-20 10:00:01.250  6734  6790 I flutter : connected"
          }
        ]
      },
      "imrepl_logcat_json": {
        "title": "Android Studio, .logcat as lines",
        "json": true,
        "timestamp-field": "timestamp",
        "body-field": "message"
      }
    }
    """##
}
