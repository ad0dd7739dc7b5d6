import IMText
import IMTokens
import Recorder

/// Formats the content and the mistakes of a token, as lines of text and as a JSON object.
package struct TokenReport {
    private let facts: TokenFacts
    private let context: TokenContext

    package init(facts: TokenFacts, context: TokenContext) { (self.facts, self.context) = (facts, context) }

    // MARK: Lines

    package var lines: [String] {
        var lines = [row("kind", facts.kind.title)]
        lines += facts.app.map { [row("app", $0)] } ?? []
        lines += facts.user.map { [row("user", $0)] } ?? []
        if let isAppToken = facts.isAppToken {
            lines.append(row("for", isAppToken ? "the REST API (an app token)" : "the login of a user"))
        }
        if let issued = facts.issued { lines.append(row("issued", time(issued))) }
        lines.append(row("expires", facts.expires.map(time) ?? "the token does not show it"))
        for service in facts.services { lines += self.lines(of: service) }
        lines += facts.details.map { row($0.name, $0.value) }
        if let logins = context.logins { lines.append(row("session", "\(logins.count) logins compared")) }
        lines.append(row("signature", signature.text))
        return lines + facts.mistakes.map { row("mistake", text(of: $0)) }
    }

    private func row(_ name: String, _ value: String) -> String {
        VisibleText.of(TextWidth.padded(name, to: 10) + value)
    }

    private func lines(of service: TokenFacts.Service) -> [String] {
        let names = [service.channel.map { "channel \($0)" }, service.user.map { "user \($0)" }].compactMap { $0 }
        let head = row("service", ([service.name] + names).joined(separator: ", "))
        return [head]
            + service.privileges.map { privilege in
                row("", "\(privilege.name): \(privilege.expires.map(time) ?? "as long as the token")")
            }
    }

    private var signature: (code: String, text: String) {
        switch facts.signature {
        case .valid: ("valid", "valid")
        case .wrong: ("wrong", "wrong")
        case .notChecked(let reason):
            ("not-checked", "not checked (\(reason ?? "--secret FILE checks it"))")
        }
    }

    private func text(of mistake: TokenMistake) -> String {
        switch mistake {
        case .unit(let text): text
        case .otherApp: "the token is for another app than --app-id"
        case .otherUser: "the token is for another user than --user"
        case .otherChannel: "the token is for another channel than --channel"
        case .appToken: "an app token is for the REST API; a login needs a user token"
        case .expired(let end): "the token has expired: \(time(end))"
        case .privilegeExpired(let name, let end): "the privilege '\(name)' has expired: \(time(end))"
        case .issuedLater(let start): "the token was issued in the future, so a clock is wrong: \(time(start))"
        case .expiredBeforeLogin(let event, let login, let end):
            "the token expired \(Self.span(login, end)) before the login #\(event): \(Self.calendar(end))"
        case .issuedAfterLogin(let event, let login, let start):
            "the token was issued \(Self.span(start, login)) after the login #\(event): \(Self.calendar(start))"
        case .wrongSignature: "the signature is wrong: another secret signed the token, or it was changed"
        case .unsigned: "the token is not signed (alg is none), so a service refuses it"
        }
    }

    // MARK: Times

    /// A time and its distance from now: `2026-02-03T04:05:06Z (3d 4h ago)`.
    private func time(_ seconds: Int64) -> String {
        let span = Self.span(seconds, context.now)
        return "\(Self.calendar(seconds)) (\(seconds <= context.now ? "\(span) ago" : "in \(span)"))"
    }

    /// The date and time. A time before the year 1 or after the year 9999 is printed as a number of seconds.
    private static func calendar(_ seconds: Int64) -> String {
        (-62_135_596_800...253_402_300_799).contains(seconds)
            ? CalendarTime(epochSeconds: seconds).description : "second \(seconds)"
    }

    /// The time between two times, in the two largest units: `3d 4h`.
    private static func span(_ one: Int64, _ other: Int64) -> String {
        let (difference, overflow) = one.subtractingReportingOverflow(other)
        let seconds = overflow ? UInt64.max : difference.magnitude
        if seconds >= 730 * 86_400 { return "\(seconds / 31_556_952) years" }
        let parts = [
            ("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60),
        ]
        let first = parts.firstIndex { $0.1 > 0 } ?? 3
        return parts[first..<min(first + 2, 4)].filter { $0.1 > 0 || first == 3 }.map { "\($0.1)\($0.0)" }
            .joined(separator: " ")
    }

    // MARK: For programs

    package var object: AnswerObject {
        var object = AnswerObject(.token)
        object.add("kind", facts.kind.rawValue)
        object.add("app", facts.app)
        object.add("user", facts.user)
        if let isAppToken = facts.isAppToken { object.add("use", isAppToken ? "app" : "user") }
        object.add("now", number: context.now)
        object.add("issued", number: facts.issued)
        object.add("expires", number: facts.expires)
        object.add("services", objects: facts.services.map(Self.object))
        object.add("details", fields: facts.details.map { ($0.name, $0.value) })
        object.add("signature", signature.code)
        object.add(
            "mistakes",
            objects: facts.mistakes.map { mistake in
                var object = AnswerObject()
                object.add("code", mistake.code)
                object.add("text", text(of: mistake))
                return object
            })
        return object
    }

    private static func object(_ service: TokenFacts.Service) -> AnswerObject {
        var object = AnswerObject()
        object.add("name", service.name)
        object.add("user", service.user)
        object.add("channel", service.channel)
        object.add(
            "privileges",
            objects: service.privileges.map { privilege in
                var object = AnswerObject()
                object.add("name", privilege.name)
                object.add("expires", number: privilege.expires)
                return object
            })
        return object
    }
}
