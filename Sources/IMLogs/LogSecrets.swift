/// What is dropped or replaced before anything of a log is kept: secrets, and what describes a person or a phone.
struct LogSecrets {
    private struct Rule {
        /// One of these has to be in a text, in lowercase, or nothing is looked for.
        var hints: [[UInt8]]
        var pattern: Regex<(Substring, Substring)>
        var replacement: String

        init(hints: [String], pattern: Regex<(Substring, Substring)>, replacement: String) {
            self.hints = hints.map { Array($0.utf8) }
            self.pattern = pattern
            self.replacement = replacement
        }
    }

    /// Each pattern keeps its first group and replaces what stands behind it.
    private let rules: [Rule] = [
        Rule(hints: ["$t$"], pattern: /()\$t\$[^\s,}"']*/, replacement: "<token>"),
        Rule(
            hints: ["token", "passw", "pwd", "secret", "auth", "bearer"],
            pattern:
                #/
                (?i:(\b(?:[\w\-]*token|password|passwd|pwd|secret|authorization|auth|bearer)"?\s*[:=]?\s*
                (?:bearer\s+)?"?)[A-Za-z0-9+\/_.=$\-]{8,})
                /#,
            replacement: "<token>"),
        Rule(
            hints: ["passw", "pwd", "secret"],
            pattern: /(?i:(\b(?:password|passwd|pwd|secret)"?\s*[:=]\s*"?)[^\s,}"]+)/,
            replacement: "<secret>"),
        Rule(hints: ["eyj"], pattern: /()eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}/, replacement: "<token>"),
        Rule(
            hints: [
                "imei", "imsi", "meid", "idfa", "idfv", "oaid", "androidid", "android_id", "deviceid", "device_id",
            ],
            pattern:
                #/
                (?i:(\b(?:imei|imsi|meid|idfa|idfv|oaid|android_?id|device_?id)"?\s*[:=]?\s*"?)
                [A-Za-z0-9\-]{8,})
                /#,
            replacement: "<device-id>"),
        Rule(
            hints: ["lat", "lon", "lng"],
            pattern: #/(?i:(\b(?:lat|latitude|lon|lng|long|longitude)"?\s*[:=]\s*"?)-?\d{1,3}\.\d+)/#,
            replacement: "<position>"),
        Rule(
            hints: ["ssid", "wifi"],
            pattern: #/(?i:(\b(?:b?ssid|wi-?fi[_ ]?name)"?\s*[:=]\s*)(?:"[^"]*"|[^\s,}]+))/#, replacement: "<wifi>"),
        Rule(
            hints: [":"], pattern: /()\b[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}\b/, replacement: "<mac>"),
        Rule(
            hints: ["text", "content", "body", "msg", "message"],
            pattern:
                #/
                (?i:((?:^|[\s{,"\(])(?:text|content|body|msg|message)"?\s*[=:]\s*)
                (?:"(?:[^"\\]|\\.)*"|[^"\s].*))
                /#,
            replacement: "<text>"),
        Rule(hints: ["@"], pattern: /()\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{2,63}\b/, replacement: "<address>"),
    ]

    private static let secretFields = [
        "text", "content", "body", "msg", "message", "token", "password", "passwd", "pwd", "secret", "auth", "imei",
        "imsi", "ssid", "bssid", "lat", "lng", "lon", "latitude", "longitude", "title",
    ]

    /// The text without what the table names.
    func cleaned(_ text: String) -> String {
        let lowered = text.utf8.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
        var result = text
        for rule in rules {
            let isHinted = lowered.withUnsafeBufferPointer { bytes in
                rule.hints.contains { ByteSearch.contains(bytes, $0) }
            }
            guard isHinted else { continue }
            result = result.replacing(rule.pattern) { "\($0.output.1)\(rule.replacement)" }
        }
        return result
    }

    /// The value of a field without what the table names.
    func cleaned(_ name: String, _ value: String) -> String {
        let isSecret = Self.secretFields.contains(name.lowercased()) || name.lowercased().hasSuffix("token")
        return isSecret && !value.isEmpty ? "<\(name.lowercased())>" : cleaned(value)
    }
}
