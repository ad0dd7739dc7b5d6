extension ShippedFormats {
    // swift-format-ignore
    static let frameworks = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_frameworks": {
        "title": "Flutter, React Native",
        "regex": {
          "a_flutter": {
            "pattern": "^flutter: (?<body>.*)$"
          },
          "b_react": {
            "pattern": "^(?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3}) \\[(?<level>\\w+)\\]\\[tid:(?<tid>[^\\]]+)\\](?:\\[(?<tag>[^\\]]+)\\])? (?<body>.*)$"
          },
          "c_metro": {
            "pattern": "^ (?:LOG|WARN|ERROR|INFO|DEBUG)  (?<body>.*)$"
          }
        },
        "timestamp-format": [
          "%Y-%m-%d %H:%M:%S.%L"
        ],
        "sample": [
          {
            "line": "flutter: connected"
          }
        ]
      }
    }
    """##
}
