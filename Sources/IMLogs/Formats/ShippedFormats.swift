/// The built-in format files, in the order in which they are tried.
enum ShippedFormats {
    static var all: [(name: String, text: String)] {
        [
            ("easemob", easemob), ("logcat", logcat), ("apple", apple), ("frameworks", frameworks), ("app-log", appLog),
            ("nim", nim), ("rtm", rtm), ("zim", zim), ("chat", chat), ("firebase", firebase),
        ]
    }
}
