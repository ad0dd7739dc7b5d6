import IMProtocol

/// The question to the user of a log whose answer distinguishes two possible causes of an ending.
package enum Question {
    /// - Parameters:
    ///   - stamp: the time of the ending, as it is written in the log.
    ///   - since: the earliest time of day at which the cause may have happened; nil if it is not known.
    ///   - isSudden: true if the cause happened right before the ending.
    package static func text(
        _ first: EndingCause, _ second: EndingCause?, at stamp: String, since: String? = nil, isSudden: Bool = true
    ) -> String {
        let time = clock(stamp)
        let when = since.map { "between \($0) and \(time)" } ?? "at \(time)" + (isSudden ? "" : " or before")
        let pair = [first.kind, second?.kind ?? ""]
        func has(_ one: String, _ other: String) -> Bool { pair.contains(one) && pair.contains(other) }
        if case .otherLogin(let platform) = first {
            return "was another device of the account (such as \(platform.name)) logged in \(when)?"
        }
        if case .otherLogin? = second { return "was another device of the account logged in at \(time)?" }
        if has("network", "server") { return "did other users lose their connection at \(time), too?" }
        if has("network", "sleep") || has("server", "sleep") { return "was the screen off before \(time)?" }
        if pair.contains("ban") || pair.contains("removal") { return "can the account log in now?" }
        if pair.contains("token") {
            return "what is the lifetime of your tokens, and was a token revoked before \(time)?"
        }
        if pair.contains("password") { return "was the password changed before \(time)?" }
        if pair.contains("kick-by-server") { return "did an operator or your server end the login \(when)?" }
        if pair.contains("kick-by-device") { return "did the user log this device out from another device \(when)?" }
        if first == .appID { return "is the App ID of the app the one in the vendor's console?" }
        if first == .server { return "did other users lose their connection at \(time), too?" }
        if first == .sleep { return "was the screen off before \(time)?" }
        if first == .network { return "did the device have a signal, or Wi-Fi without internet, at \(time)?" }
        return "what happened at \(time)?"
    }

    /// The time of day in a time stamp of the log.
    static func clock(_ stamp: String) -> String {
        let time = TimeOfDay.word(of: stamp) ?? stamp[...]
        let digits = time.prefix { $0.isNumber || $0 == ":" || $0 == "." }
        // The question contains milliseconds, but no smaller digits.
        let second = digits.prefix { $0 != "." }
        let fraction = digits.dropFirst(second.count).prefix(4)
        return digits.isEmpty ? "that time" : String(second + fraction)
    }
}
