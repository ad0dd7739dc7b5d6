import Foundation
import IMSession

/// Drafts a format file for a log that no format describes. The file has a pattern for the prefix of lines, and a
/// pattern for each shape of line that looks like a call or a callback.
public struct FormatSuggestion {
    /// The format file, in JSON.
    public private(set) var file = ""
    /// The number of entries in the `search-table` of the file.
    public private(set) var count = 0
    /// The shapes of lines that have no entry, the most frequent first.
    public private(set) var unmatched: [Unmatched] = []

    /// Lines of one shape that have no entry.
    public struct Unmatched: Sendable {
        /// The number of these lines.
        public var count: Int
        /// The first of these lines, without its time and without secrets.
        public var example: String
    }

    /// A row of the table of words. A line that contains the words is probably the event of the row. The first row that
    /// matches is used.
    private struct Row {
        var profile: String?
        /// The words, in lowercase. The line must contain each of them; `a|b` means one of two.
        var words: [String]
        var key: String

        init(_ profile: String?, _ words: String, _ key: String) {
            // In the table, a hyphen represents a space.
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
    ///   - profile: the profile whose calls and callbacks the entries describe.
    /// - Throws: ``LogFormatError`` if no line looks like a call or a callback. The error contains examples of lines.
    public init(_ text: [UInt8], profile: String, name: String) throws {
        let lines = text.split(separator: UInt8(ascii: "\n")).prefix(Self.linesMax).map { line in
            Array(line).withUnsafeBufferPointer(LogReader.text)
        }
        let prefix = LinePrefix(of: lines)
        let secrets = LogSecrets()
        let bodies = lines.map { prefix.body(of: $0) }
        let states = StateLines.find(in: bodies.compactMap { $0 }, profile: profile)
        var shapes: [String] = []
        var samples: [String: (line: String, body: String, key: String)] = [:]
        var others = ShapeGroups(secrets)
        for (index, (line, body)) in zip(lines, bodies).enumerated() {
            guard let body, !body.isEmpty else { continue }
            let found = Self.entry(of: body, profile, states, isFirst: index == 0)
            guard let (key, shape) = found else {
                others.add(body)
                continue
            }
            if samples[shape] == nil, shapes.count < Self.shapesMax {
                samples[shape] = (secrets.cleaned(line), body, key)
                shapes.append(shape)
            }
        }
        unmatched = others.sorted
        guard !shapes.isEmpty else {
            let examples = unmatched.prefix(3).map { "'\($0.example)'" }.joined(separator: ", ")
            throw LogFormatError(
                description: "no line looks like a call or callback of \(profile); write the patterns yourself "
                    + "(see Documentation/Logs.md)"
                    + (examples.isEmpty ? "" : "; the log has lines such as \(examples)"))
        }
        var entries: [String: [String: String]] = [:]
        for shape in shapes.prefix(Self.entriesMax) {
            guard let key = samples[shape]?.key else { continue }
            var unique = key
            var number = 2
            // The names of entries must be different. A last part without a value has no other effect.
            while entries[unique] != nil {
                unique = "\(key)__v\(number)"
                number += 1
            }
            entries[unique] = ["pattern": shape]
        }
        count = entries.count
        file = try Self.json(name, prefix, entries, samples: shapes.prefix(3).compactMap { samples[$0]?.line })
    }

    /// The entry and the pattern of a line that is probably an event; nil for another line.
    private static func entry(
        of body: String, _ profile: String, _ states: StateLines?, isFirst: Bool
    ) -> (key: String, pattern: String)? {
        if let states, LineShape(body) == states.shape { return (states.key, states.pattern) }
        guard let key = key(of: body, profile, isFirst: isFirst) else { return nil }
        let pattern = named(pattern(of: body, hasUser: key.hasSuffix("login")), for: key)
        guard key.hasPrefix("callback_onKick") else { return (key, pattern) }
        let kick = kickNamed(pattern, body)
        // If the line contains a reason, the entry does not set one.
        return (kick.contains("(?<reason>") ? "callback_onKick" : key, kick)
    }

    /// The pattern of a kick. Numbers without a known name get the names that their values allow.
    private static func kickNamed(_ pattern: String, _ body: String) -> String {
        var pattern = pattern
        let groups = (try? LinePattern(pattern))?.groups(of: body)?.inOrder ?? []
        for (name, value) in groups where !["reason", "clientType"].contains(name) {
            guard let number = Int(value) else { continue }
            if !pattern.contains("(?<reason>"), (1...3).contains(number) {
                pattern = pattern.replacing("(?<\(name)>", with: "(?<reason>")
            } else if !pattern.contains("(?<clientType>"), [1, 2, 4, 8, 16, 64].contains(number) {
                pattern = pattern.replacing("(?<\(name)>", with: "(?<clientType>")
            }
        }
        return pattern
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

    /// The name of the entry for a line; nil if no row matches.
    private static func key(of body: String, _ profile: String, isFirst: Bool) -> String? {
        let line = body.lowercased().replacing("-", with: " ").replacing("_", with: " ")
        // In the first line of a log, these words mean that the app has started.
        if isFirst, ["starting", "started", "launch"].contains(where: { line.contains($0) }) { return "life_start" }
        return rows.first { ($0.profile == nil || $0.profile == profile) && $0.fits(line) }?.key
    }

    /// The fields of events, with other names that apps use for them.
    private static let fields: [(key: String, fields: [(name: String, others: [String])])] = [
        ("callback_onLogin", [("step", ["to", "state", "status", "is", "changed", "step_"])]),
        (
            "callback_onKick",
            [
                ("reason", ["reasonCode", "code", "why", "cause"]),
                ("clientType", ["client", "type", "platform", "by", "from", "device"]),
            ]
        ),
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

    /// The pattern, with groups renamed to the fields of the event.
    private static func named(_ pattern: String, for key: String) -> String {
        var pattern = pattern
        for (name, others) in fields.first(where: { key.hasPrefix($0.key) })?.fields ?? [] {
            guard !pattern.contains("(?<\(name)>"), !key.contains("__\(name)_") else { continue }
            // The fields of a kick are numbers, so that only groups of digits get their names.
            let inner = key.hasPrefix("callback_onKick") ? "\\d+" : ""
            if let other = others.first(where: { pattern.contains("(?<\($0)>\(inner)") }) {
                pattern = pattern.replacing("(?<\(other)>", with: "(?<\(name)>")
            }
        }
        return pattern
    }

    /// Words that precede the name of a user.
    private static let userWords = ["as", "user", "account", "uid", "userid", "accid", "id", "for"]

    /// The body of a line as a pattern. Numbers, quoted texts and values after `=` are groups.
    ///
    /// - Parameter hasUser: true if the name of a user becomes a group, too.
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
            if next == "=", let value = rest.dropFirst().first, value.isLetter {
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
            // A word before a value is the value's name.
            if next.isLetter || next == "_" {
                if rest.startIndex > body.startIndex, let before = pattern.last, !before.isLetter, before != "_" {
                    word = ""
                }
                word.append(next)
            }
            pattern += next.asPattern
            rest.removeFirst()
        }
        return pattern
    }

    /// Words of a kick: `kicked`, `booted out`, `forced offline`.
    private static let kickWords =
        "kick|booted-out|booted-off|booted-by|boot-out|thrown-out|thrown-off|forced-out|forced-off|forced-logout"
        + "|force-logout|forcibly|evict|eject|offline-by"

    // swift-format-ignore
    private static let rows: [Row] = [
        Row("agora-chat", "forced logout", "callback_userAccountDidForcedToLogout"),
        Row("nim", kickWords, "callback_onKick__reason_1"),
        Row("zim", kickWords, "callback_connectionStateChanged__state_0__event_4"),
        Row("agora-rtm", kickWords, "callback_connectionStateChanged__state_5__reason_8"),
        Row("agora-chat", kickWords, "callback_userAccountDidLoginFromOtherDevice__code_206"),
        Row("nim", "other-devices|multi-login|multilogin|devices chang|online|list", "callback_onMultiLoginClientsChanged"),
        Row("nim", "another-device|another-client|other-device|elsewhere|taken-over", "callback_onKick__reason_1"),
        Row(nil, "logout|log-out|logged-out|sign-out|signout|signed-out|logoff fail|error|success|complete|done|finish|result|code", "return_logout"),
        Row(nil, "logged-out|signed-out", "return_logout"),
        Row(nil, "logout|log-out|logging-out|sign-out|signout|signing-out|logoff", "call_logout"),
        Row("nim", "autologin|auto-login fail|error", "callback_onAutoLoginFailed"),
        Row("nim", "login step", "callback_onLogin"), Row("nim", "syncok|sync-ok|synced", "callback_onLogin__step_8"),
        Row("zim", "state event", "callback_connectionStateChanged"),
        Row("zim", "token expire", "callback_tokenWillExpire"),
        Row("agora-rtm", "remote", "callback_connectionStateChanged__state_5__reason_8"),
        Row("agora-rtm", "state reason", "callback_connectionStateChanged"),
        Row("agora-rtm", "token expire", "callback_rtmKitTokenDidExpire"),
        Row("agora-chat", "other-device|otherdevice|another", "callback_userAccountDidLoginFromOtherDevice__code_206"),
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

/// Groups lines by their shapes.
private struct ShapeGroups {
    private let secrets: LogSecrets
    private var groups: [FormatSuggestion.Unmatched] = []
    private var indices: [LineShape: Int] = [:]
    private static let shapesMax = 5_000
    private static let exampleMax = 120

    init(_ secrets: LogSecrets) { self.secrets = secrets }

    mutating func add(_ body: String) {
        let shape = LineShape(body)
        if let index = indices[shape] {
            groups[index].count += 1
        } else if groups.count < Self.shapesMax {
            indices[shape] = groups.count
            groups.append(.init(count: 1, example: String(secrets.cleaned(body).prefix(Self.exampleMax))))
        }
    }

    /// The groups, the largest first. Of equally large groups, the one whose first line is earlier.
    var sorted: [FormatSuggestion.Unmatched] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
    }
}
