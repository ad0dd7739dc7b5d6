import IMText

/// Replaces secrets and personal data in the lines of a log before a line is stored.
struct LogSecrets {
    private struct Rule {
        /// The pattern is tried only if the text contains one of these words, in lowercase.
        var hints: [[UInt8]]
        var pattern: BytePattern
        var replacement: [UInt8]
    }

    /// The rules. The first group of a pattern is kept, and the rest of its match is replaced.
    private let rules: [Rule]

    init() {
        rules = Self.table.compactMap { row in
            (try? BytePattern(row.pattern)).map { pattern in
                Rule(
                    hints: row.hints.map { Array($0.utf8) }, pattern: pattern, replacement: Array(row.replacement.utf8))
            }
        }
    }

    // swift-format-ignore
    static let table: [(hints: [String], pattern: String, replacement: String)] = [
        (["$t$"], #"()\$t\$[^\s,}"']*"#, "<token>"),
        (["token", "passw", "pwd", "secret", "auth", "bearer", "cred"],
         #"(?i:(\b(?:[\w\-]*token|password|passwd|pwd|secret|authorization|auth|bearer|cred)"?\s*[:=]?\s*(?:bearer\s+)?"?)[A-Za-z0-9+/_.=$\-]{8,})"#,
         "<token>"),
        (["passw", "pwd", "secret"], #"(?i:(\b(?:password|passwd|pwd|secret)"?\s*[:=]\s*"?)[^\s,}"]+)"#, "<secret>"),
        (["eyj"], #"()eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}"#, "<token>"),
        (["imei", "imsi", "meid", "idfa", "idfv", "oaid", "androidid", "android_id", "deviceid", "device_id"],
         #"(?i:(\b(?:imei|imsi|meid|idfa|idfv|oaid|android_?id|device_?id)"?\s*[:=]?\s*"?)[A-Za-z0-9\-]{8,})"#,
         "<device-id>"),
        (["lat", "lon", "lng"],
         #"(?i:(\b(?:lat|latitude|lon|lng|long|longitude)"?\s*[:=]\s*"?)-?\d{1,3}\.\d+)"#, "<position>"),
        (["ssid", "wifi"], #"(?i:(\b(?:b?ssid|wi-?fi[_ ]?name)"?\s*[:=]\s*)(?:"[^"]*"|[^\s,}]+))"#, "<wifi>"),
        ([":"], #"()\b[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}\b"#, "<mac>"),
        (["text", "content", "body", "msg", "message"],
         #"(?i:((?:^|[\s{,"(])(?:text|content|body|msg|message)"?\s*[=:]\s*)(?:"(?:[^"\\]|\\.)*"|[^"\s].*))"#,
         "<text>"),
        (["@"], #"()\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{2,63}\b"#, "<address>"),
    ]

    private static let secretFields = [
        "text", "content", "body", "msg", "message", "token", "password", "passwd", "pwd", "secret", "auth", "imei",
        "imsi", "ssid", "bssid", "lat", "lng", "lon", "latitude", "longitude", "title",
    ]

    /// The text without secrets and personal data.
    func cleaned(_ text: String) -> String {
        var text = text
        let hinted = text.withUTF8 { bytes in
            let lowered = bytes.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
            return lowered.withUnsafeBufferPointer { lowered in
                rules.indices.filter { index in
                    rules[index].hints.contains { ByteSearch.contains(lowered, $0) }
                }
            }
        }
        for index in hinted { text = replaced(text, rules[index]) }
        return text
    }

    private func replaced(_ text: String, _ rule: Rule) -> String {
        var text = text
        let result: [UInt8]? = text.withUTF8 { bytes in
            var result: [UInt8] = []
            var end = 0
            while end < bytes.count, let match = rule.pattern.match(bytes, from: end), !match.isEmpty {
                result += bytes[end..<match.lowerBound]
                if let kept = rule.pattern.range(0) { result += bytes[kept] }
                result += rule.replacement
                end = match.upperBound
            }
            guard end > 0 else { return nil }
            result += bytes[end...]
            return result
        }
        return result.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The value of a field without secrets and personal data.
    func cleaned(_ name: String, _ value: String) -> String {
        let isSecret = Self.secretFields.contains(name.lowercased()) || name.lowercased().hasSuffix("token")
        return isSecret && !value.isEmpty ? "<\(name.lowercased())>" : cleaned(value)
    }
}
