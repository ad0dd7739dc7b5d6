extension ShippedFormats {
    // swift-format-ignore
    static let firebase = ##"""
    {
      "$schema": "https://lnav.org/schemas/format-v1.schema.json",
      "imrepl_firebase": {
        "title": "Firebase and Wilddog debug logs: Android, web, iOS",
        "search-table": {
          "callback_connected__value_1": {
            "pattern": "onnection (?:established|ready)"
          },
          "callback_connected__value_0": {
            "pattern": "onnection (?:lost|was disconnected)"
          },
          "callback_connected__value_0__pc": {
            "pattern": "pc_\\d+ - Got on disconnect due to (?<reason>\\w+)"
          },
          "callback_connected__value_0__web": {
            "pattern": "p:\\d+: data client disconnected"
          },
          "callback_valueChanged": {
            "pattern": "(?:event: |Raising )/(?<path>\\.info/connected): ?(?:value|VALUE): ?(?<value>true|false)"
          },
          "call_on__android": {
            "pattern": "pc_\\d+ - Listening on (?<path>\\S+)"
          },
          "call_on__web": {
            "pattern": "p:\\d+: Listen called for (?<path>\\S+)"
          },
          "frame_in_any": {
            "pattern": "handleServerMessage:? ?(?<event_name>[a-z]{1,3}) "
          },
          "frame_in_control__android": {
            "pattern": "conn_\\d+ - Got control message: \\{t=(?<type>\\w+)"
          },
          "frame_in_control__ios": {
            "pattern": "I-RDB082011\\] Got control message: \\{.*?\\bt = (?<type>\\w+);"
          },
          "frame_in_data__android": {
            "pattern": "conn_\\d+ - received data message: \\{(?:r=(?<request>\\d+)|a=(?<event_name>\\w+))(?:, b=\\{p=(?<path>[^,}]+))?"
          },
          "frame_in_data__ios": {
            "pattern": "I-RDB082010\\] Got data message: \\{(?:.*?\\ba = (?<event_name>\\w+);)?(?:.*?\\br = (?<request>\\d+);)?"
          },
          "frame_in_data__web": {
            "pattern": "p:\\d+: from server: \\{(?:\"r\":(?<request>\\d+)|\"a\":\"(?<event_name>\\w+)\")"
          },
          "frame_in_message": {
            "pattern": "from server: .{0,40}?\"(?:a|r|t)\":\"?(?<action>\\w+)"
          },
          "frame_out_any": {
            "pattern": "ending data:? ?.{0,20}?\"a\":\"(?<event_name>\\w+)\""
          },
          "frame_out_data__android": {
            "pattern": "conn_\\d+ - Sending data: \\{t=d, d=\\{a=(?<event_name>\\w+)(?:, r=(?<request>\\d+))?(?:, b=\\{p=(?<path>[^,}]+))?"
          },
          "frame_out_data__hidden": {
            "pattern": "Sending data:? \\(contents hidden\\)"
          },
          "frame_out_data__ios": {
            "pattern": "I-RDB082005\\] Sending: \\{.*?\\ba = (?<event_name>\\w+);(?:.*?\\br = (?<request>\\d+);)?"
          },
          "frame_out_data__web": {
            "pattern": "p:\\d+: \\{\"r\":(?<request>\\d+),\"a\":\"(?<event_name>\\w+)\"(?:,\"b\":\\{\"p\":\"(?<path>[^\"]+))?"
          }
        }
      }
    }
    """##
}
