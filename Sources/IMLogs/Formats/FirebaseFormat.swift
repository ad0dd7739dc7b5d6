extension ShippedFormats {
    // swift-format-ignore
    static let firebase = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_firebase": {
        "title": "Firebase and Wilddog debug logs",
        "search-table": {
          "frame_in_any": {
            "pattern": "handleServerMessage:? ?(?<action>[a-z]{1,3}) "
          },
          "frame_out_any": {
            "pattern": "ending data:? ?.{0,20}?\\\"a\\\":\\\"(?<event_name>\\w+)\\\""
          },
          "callback_connected__value_1": {
            "pattern": "onnection (?:established|ready)"
          },
          "callback_connected__value_0": {
            "pattern": "onnection (?:lost|was disconnected)"
          },
          "frame_in_message": {
            "pattern": "from server: .{0,40}?\\\"(?:a|r|t)\\\":\\\"?(?<action>\\w+)"
          }
        }
      }
    }
    """##
}
