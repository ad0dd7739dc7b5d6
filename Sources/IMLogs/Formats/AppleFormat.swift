extension ShippedFormats {
    // swift-format-ignore
    static let apple = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_apple": {
        "title": "Apple: log show, Xcode console, NSLog, iOS syslog",
        "regex": {
          "a_default": {
            "pattern": "^(?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?:[+-]\\d{2}:?\\d{2})?)\\s+0x(?<tid>[0-9a-f]+)\\s+(?<level>\\w+)\\s+0x[0-9a-f]+\\s+(?<pid>\\d+)\\s+\\d+\\s+(?<process>[^:]+): (?:\\([^)]*\\) )?(?:\\[(?<tag>[^\\]]*)\\] )?(?<body>.*)$"
          },
          "b_compact": {
            "pattern": "^(?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?:[+-]\\d{2}:?\\d{2})?) (?<level>Df|I|Db|E|F|A)\\s+(?<process>[^\\[]+)\\[(?<pid>\\d+):(?<tid>[0-9a-f]+)\\] (?:\\([^)]*\\) )?(?:\\[(?<tag>[^\\]]*)\\] )?(?<body>.*)$"
          },
          "c_nslog": {
            "pattern": "^(?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?:[+-]\\d{2}:?\\d{2})?) (?<process>[^\\[]+)\\[(?<pid>\\d+):(?<tid>[0-9a-fA-F]+)\\] (?:\\[(?<tag>[\\w.:-]+)\\] )?(?<body>.*)$"
          },
          "d_syslog": {
            "pattern": "^(?<timestamp>[A-Z][a-z]{2}\\s+\\d{1,2} \\d{2}:\\d{2}:\\d{2}(?:\\.\\d{6})?) (?:[\\w.-]+ )?(?<process>[\\w .-]+?)(?:\\((?<tag>[^)]*)\\))?\\[(?<pid>\\d+)\\] <(?<level>\\w+)>: (?<body>.*)$"
          },
          "after_xcode": {
            "pattern": "^Type: (?<level>\\w+) \\| Timestamp: (?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}(?:[+-]\\d{2}:?\\d{2})?)(?: \\| Process: (?<process>[^|]+?))?(?: \\|.*)?$"
          }
        },
        "timestamp-format": [
          "%Y-%m-%d %H:%M:%S.%f%z",
          "%Y-%m-%d %H:%M:%S.%f",
          "%b %d %H:%M:%S.%f",
          "%b %d %H:%M:%S"
        ],
        "sample": [
          {
            "line": "2019-07-02 20:37:37.480738+0700 APP[1366:205847] message"
          }
        ]
      },
      "imrepl_apple_json": {
        "title": "log show --style ndjson",
        "json": true,
        "timestamp-field": "timestamp",
        "body-field": "eventMessage",
        "timestamp-format": [
          "%Y-%m-%d %H:%M:%S.%f%z"
        ]
      }
    }
    """##
}
