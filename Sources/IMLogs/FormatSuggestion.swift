import Foundation
import IMSession

/// Drafts a format file for a log that no format describes: the shape of its prefix, and a pattern for each shape of
/// line that looks like a call or a callback.
public struct FormatSuggestion {
    /// The format file, in JSON.
    public private(set) var file = ""
    /// The number of entries in its `search-table`.
    public private(set) var count = 0

    /// Words, and the event that a line with them probably is. The first matching row is used.
    private struct Row {
        var profile: String?
        /// The line must contain each of them, in lowercase; `a|b` is either of two.
        var words: [String]
        var key: String

        init(_ profile: String?, _ words: String, _ key: String) {
            // A hyphen represents a space.
            self.words = words.split(separator: " ").map { String($0).replacing("-", with: " ") }
            (self.profile, self.key) = (profile, key)
        }

        func fits(_ line: String) -> Bool {
            words.allSatisfy { word in word.split(separator: "|").contains { line.contains($0) } }
        }
    }

    private static let linesMax = 200_000
    private static let entriesMax = 40
    private static let shapesMax = 5_000

    /// - Parameters:
    ///   - text: the log.
    ///   - profile: the SDK of the log; its events are suggested.
    /// - Throws: ``LogFormatError`` if no line looks like a call or a callback.
    public init(_ text: [UInt8], profile: String, name: String) throws {
        let lines = text.split(separator: UInt8(ascii: "\n")).prefix(Self.linesMax).map { line in
            Array(line).withUnsafeBufferPointer(LogReader.text)
        }
        let prefix = LinePrefix(of: lines)
        let secrets = LogSecrets()
        var shapes: [String] = []
        var samples: [String: (line: String, body: String, key: String)] = [:]
        for line in lines {
            guard let body = prefix.body(of: line), let key = Self.key(of: body, profile) else { continue }
            let shape = Self.named(Self.pattern(of: body, hasUser: key.hasSuffix("login")), for: key)
            if samples[shape] == nil, shapes.count < Self.shapesMax {
                samples[shape] = (secrets.cleaned(line), body, key)
                shapes.append(shape)
            }
        }
        guard !shapes.isEmpty else {
            throw LogFormatError(
                description: "no line looks like a call or callback of \(profile); write the patterns yourself "
                    + "(see Documentation/Logs.md)")
        }
        var entries: [String: [String: String]] = [:]
        for shape in shapes.prefix(Self.entriesMax) {
            guard var key = samples[shape]?.key else { continue }
            // The value is not set if the line contains the reason.
            let kick = "callback_onKick"
            if key.hasPrefix(kick), shape.contains("(?<reason>") { key = kick }
            var unique = key
            var number = 2
            // A last part without a value only distinguishes two entries.
            while entries[unique] != nil {
                unique = "\(key)__v\(number)"
                number += 1
            }
            entries[unique] = ["pattern": shape]
        }
        count = entries.count
        file = try Self.json(name, prefix, entries, samples: shapes.prefix(3).compactMap { samples[$0]?.line })
    }

    private static func json(
        _ name: String, _ prefix: LinePrefix, _ entries: [String: [String: String]], samples: [String]
    ) throws -> String {
        var format: [String: Any] = ["title": "Log of \(name)", "search-table": entries]
        if let pattern = prefix.pattern {
            format["regex"] = ["std": ["pattern": pattern]]
            format["timestamp-format"] = prefix.timestamps
            format["sample"] = samples.map { ["line": $0] }
        }
        let words = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        let object: [String: Any] = [
            "$schema": "https://lnav.org/schemas/format-v1.schema.json", "log_\(words)": format,
        ]
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// The entry for a line; nil for none.
    private static func key(of body: String, _ profile: String) -> String? {
        let line = body.lowercased().replacing("-", with: " ").replacing("_", with: " ")
        return rows.first { ($0.profile == nil || $0.profile == profile) && $0.fits(line) }?.key
    }

    /// The fields of an event, and other names for them in apps.
    private static let fields: [(key: String, fields: [(name: String, others: [String])])] = [
        ("callback_onLogin", [("step", ["to", "state", "status", "is", "changed", "step_"])]),
        ("callback_onKick", [("reason", ["reasonCode", "code"]), ("clientType", ["client", "type", "platform"])]),
        (
            "callback_connectionStateChanged",
            [
                ("state", ["to", "status", "is", "changed"]), ("event", ["ev", "cause"]),
                ("reason", ["cause", "because", "code"]),
            ]
        ),
        ("callback_onAutoLoginFailed", [("error", ["code", "err", "errorCode", "error_code"])]),
        ("callback_tokenWillExpire", [("second", ["seconds", "in", "left", "s"])]),
        ("callback_userAccountDid", [("code", ["error", "err", "errorCode", "reason"])]),
        ("return_", [("code", ["error", "err", "errorCode", "error_code", "result", "status", "rc", "ret"])]),
        ("call_login", [("user", ["userID", "userId", "account", "uid", "accid", "id", "name"])]),
    ]

    /// The pattern with the names of the event's fields.
    private static func named(_ pattern: String, for key: String) -> String {
        var pattern = pattern
        for (name, others) in fields.first(where: { key.hasPrefix($0.key) })?.fields ?? [] {
            guard !pattern.contains("(?<\(name)>"), !key.contains("__\(name)_") else { continue }
            if let other = others.first(where: { pattern.contains("(?<\($0)>") }) {
                pattern = pattern.replacing("(?<\(other)>", with: "(?<\(name)>")
            }
        }
        return pattern
    }

    /// Words that precede the name of a user.
    private static let userWords = ["as", "user", "account", "uid", "userid", "accid", "id", "for"]

    /// The body as a pattern: numbers, quoted texts and values after `=` or `:` are groups.
    ///
    /// - Parameter hasUser: true if the name of a user is also a group.
    private static func pattern(of body: String, hasUser: Bool) -> String {
        var pattern = ""
        var word = ""
        var rest = Substring(body.prefix(160))
        var names: [String] = []
        func group(_ inner: String) -> String {
            let name = word.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            guard let first = name.first, first.isLetter, !names.contains(name), names.count < 8 else { return inner }
            names.append(name)
            return "(?<\(name)>\(inner))"
        }
        while let next = rest.first {
            if next.isASCII, next.isNumber, pattern.last?.isLetter != true {
                pattern += group("\\d+")
                rest = rest.drop { $0.isNumber }
                continue
            }
            if next == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
                pattern += "\"" + group("[^\"]*") + "\""
                rest = rest[rest.index(after: end)...]
                continue
            }
            if "=".contains(next), let value = rest.dropFirst().first, value.isLetter {
                pattern += "=" + group("[^\\s,;)]+")
                rest = rest.dropFirst().drop { !" ,;)".contains($0) }
                word = ""
                continue
            }
            if hasUser, " :".contains(next), userWords.contains(word.lowercased()), !names.contains("user") {
                let separator = rest.prefix { " :\"'".contains($0) }
                let name = rest.dropFirst(separator.count).prefix { !" ,;)]\"'".contains($0) }
                if !name.isEmpty {
                    pattern += separator + "(?<user>[^\\s,;)\\]\"']+)"
                    names.append("user")
                    rest = rest.dropFirst(separator.count + name.count)
                    word = ""
                    continue
                }
            }
            // The name of a value precedes it.
            if next.isLetter || next == "_" {
                if rest.startIndex > body.startIndex, let before = pattern.last, !before.isLetter, before != "_" {
                    word = ""
                }
                word.append(next)
            }
            pattern += "\\.+*?()[]{}|^$/".contains(next) && next != "/" ? "\\\(next)" : String(next)
            rest.removeFirst()
        }
        return pattern
    }

    // swift-format-ignore
    private static let rows: [Row] = [
        Row("agora-chat", "forced logout", "callback_userAccountDidForcedToLogout"),
        Row(nil, "logout|log-out|logged-out|sign-out|signout|signed-out|logoff fail|error|success|complete|done|finish|result|code", "return_logout"),
        Row(nil, "logged-out|signed-out", "return_logout"),
        Row(nil, "logout|log-out|logging-out|sign-out|signout|signing-out|logoff", "call_logout"),
        Row("nim", "kick", "callback_onKick__reason_1"), Row("nim", "autologin|auto-login fail|error", "callback_onAutoLoginFailed"),
        Row("nim", "login step", "callback_onLogin"), Row("nim", "syncok|sync-ok|synced", "callback_onLogin__step_8"),
        Row("zim", "kick", "callback_connectionStateChanged__state_0__event_4"),
        Row("zim", "state event", "callback_connectionStateChanged"),
        Row("zim", "token expire", "callback_tokenWillExpire"),
        Row("agora-rtm", "kick|remote", "callback_connectionStateChanged__state_5__reason_8"),
        Row("agora-rtm", "state reason", "callback_connectionStateChanged"),
        Row("agora-rtm", "token expire", "callback_rtmKitTokenDidExpire"),
        Row("agora-chat", "kick|other-device|otherdevice|another", "callback_userAccountDidLoginFromOtherDevice__code_206"),
        Row("agora-chat", "token will expire", "callback_tokenWillExpire"), Row("agora-chat", "token expire", "callback_tokenDidExpire"),
        Row(nil, "login|log-in|logged-in|sign-in|signin|signed-in success|succeed|complete|done|finish|result|fail|error|return|code", "return_login"),
        Row(nil, "logged-in|signed-in", "return_login"),
        Row("nim", "reconnecting|lost|disconnect", "callback_onLogin__step_9"),
        Row("zim", "reconnecting|lost|interrupt", "callback_connectionStateChanged__state_3__event_3"),
        Row("agora-rtm", "reconnecting|lost|interrupt", "callback_connectionStateChanged__state_4__reason_5"),
        Row("agora-chat", "reconnecting|lost|disconnect", "callback_connectionStateDidChange__state_1"),
        Row("wilddog", "disconnect|offline|lost|connection-false", "callback_connected__value_0"),
        Row("nim", "connecting|linking", "callback_onLogin__step_1"), Row("zim", "connecting", "callback_connectionStateChanged__state_1__event_1"),
        Row("agora-rtm", "connecting", "callback_connectionStateChanged__state_2__reason_1"),
        Row("nim", "connected|online", "callback_onLogin__step_8"),
        Row("zim", "connected|online", "callback_connectionStateChanged__state_2__event_0"),
        Row("agora-rtm", "connected|online", "callback_connectionStateChanged__state_3__reason_2"),
        Row("agora-chat", "connected|online", "callback_connectionStateDidChange__state_0"),
        Row("wilddog", "connected|online", "callback_connected__value_1"),
        Row("nim", "message|msg receive|recv", "callback_onRecvMessages"), Row("zim", "message|msg receive|recv", "callback_peerMessageReceived"),
        Row("agora-chat", "message|msg receive|recv", "callback_messagesDidReceive"), Row("agora-rtm", "message|msg receive|recv", "callback_messageReceived"),
        Row(nil, "login|log-in|logging-in|sign-in|signing-in|signin", "call_login"),
        Row(nil, "send|sending message|msg", "call_send"),
        Row(nil, "enter background|didenterbackground", "life_background"), Row(nil, "enter foreground|willenterforeground", "life_foreground"),
        Row(nil, "app|process|application start|launch", "life_start"),
    ]
}

/// The common prefix of most lines.
private struct LinePrefix {
    /// A pattern for a whole line; nil if a built-in format describes the prefix, or if there is no prefix.
    private(set) var pattern: String?
    private(set) var timestamps: [String] = []
    private let matcher: LinePattern?
    private let shipped: [LinePattern]

    // swift-format-ignore
    private static let times: [(pattern: String, formats: [String])] = [
        (#"\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"#,
         ["%Y-%m-%d %H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%S:%f", "%Y-%m-%d %H:%M:%S",
          "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S"]),
        (#"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?"#,
         ["%Y/%m/%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S,%f", "%Y/%m/%d %H:%M:%S:%L", "%Y/%m/%d %H:%M:%S"]),
        (#"\d{1,2}-\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d{1,9})?"#, ["%m-%d %H:%M:%S.%f", "%m-%d %H:%M:%S,%f", "%m-%d %H:%M:%S"]),
        (#"\d{1,2}:\d{1,2}:\d{1,2}[.,]\d{1,9}"#, ["%H:%M:%S.%f", "%H:%M:%S,%f"]),
        (#"\d{1,2}:\d{1,2}:\d{1,2}"#, ["%H:%M:%S"]),
        (#"\d{13}"#, ["%i"]), (#"\d{10}"#, ["%s"]),
    ]

    init(of lines: [String]) {
        let sample = Array(lines.prefix(2000))
        shipped =
            ((try? ShippedFormats.all.flatMap { try LogFormat.read($0.text, from: $0.name, isShipped: true) }) ?? [])
            .flatMap { $0.prefixes.map(\.pattern) }
        var best: (count: Int, pattern: String, formats: [String]) = (0, "", [])
        for (time, formats) in Self.times {
            // Brackets, a level or a tag around the time.
            let pattern =
                "^(?<before>[^0-9]{0,12})(?<timestamp>\(time))(?<after>[\\])|: -]{1,3})"
                + "(?:\\[?(?<level>[A-Z]{1,8})\\]?[ :|/-]{1,3})?(?:\\[(?<tag>[^\\]]{1,40})\\][: -]{0,3})?(?<body>.*)$"
            guard let matcher = try? LinePattern(pattern, isTrusted: true) else { continue }
            let count = sample.count { matcher.groups(of: $0) != nil }
            if count > best.count { best = (count, pattern, formats) }
        }
        let shipped = shipped
        let known = sample.count { line in shipped.contains { $0.groups(of: line) != nil } }
        if known * 2 >= sample.count || best.count * 2 < sample.count {
            matcher = nil
        } else {
            pattern = best.pattern
            timestamps = best.formats
            matcher = try? LinePattern(best.pattern, isTrusted: true)
        }
    }

    /// The text of a line after its prefix.
    func body(of line: String) -> String? {
        if let matcher { return matcher.groups(of: line)?["body"] }
        for pattern in shipped { if let groups = pattern.groups(of: line) { return groups["body"] } }
        return line
    }
}

extension LinePattern {
    fileprivate func groups(of text: String) -> LineGroups? {
        var text = text
        return text.withUTF8 { match($0) }
    }
}
