import IMClient
import IMProfiles
import IMProtocol
import IMSession
import SansIO

/// A time in milliseconds, in the log or in the simulated world.
package typealias Milliseconds = Int64

/// A line about an app: a call, the result of a call, a callback, or a change of the app's process. A log contains such
/// lines. The run of a simulated client produces them too, so that both can be compared.
package struct AppLine: Sendable {
    /// The kind of line.
    package enum Kind: String, Sendable {
        case start, life, call, callback
        case result = "return"
    }

    package var time: Milliseconds
    package var kind: Kind
    package var name: String
    package var fields: [AnswerField]
    /// The number of the line in the log; 0 for a simulated line.
    package var number = 0
    /// The time as it is written in the log.
    package var stamp = ""
    /// True for a line of a log that may lack fields of the simulated line, or have additional fields. This is usual if
    /// an app writes its own log.
    var isPartial = false
    /// A line of the log and a simulated line match if their keys are equal. See also ``isPartial``.
    package let key: String
    /// The name of the callback with the fields that distinguish its kinds: `onLogin step=3`. Empty for other lines.
    let callbackKind: String

    /// - Parameter substitute: the fields that the machines produce instead of `fields`; nil if they produce `fields`.
    package init(
        time: Milliseconds, kind: Kind, name: String, fields: [AnswerField] = [], number: Int = 0,
        comparedAs substitute: [AnswerField]? = nil
    ) {
        self.time = time
        self.kind = kind
        self.name = name
        self.fields = fields
        self.number = number
        key = Self.key(kind, name, substitute ?? fields)
        let kindFields = (substitute ?? fields).filter { ["step", "state", "path", "type"].contains($0.name) }
        let kindWords = [name] + kindFields.map { "\($0.name)=\($0.value)" }
        callbackKind = kind == .callback ? kindWords.joined(separator: " ") : ""
    }

    /// Fields that are not compared, because their values in the simulation do not depend on the log.
    private static let freeFields = ["deviceName", "loginExtensionInfo", "ext", "previousSibling"]

    /// The fields of a result that are compared. Other fields, such as a value that was read, depend on data that the
    /// log does not contain.
    private static let resultFields = ["code", "error"]

    /// True if this simulated line and a line of the log can be the same event. The field `value` of a result is
    /// compared if both lines have it.
    func fits(_ line: AppLine) -> Bool {
        guard key == line.key else { return line.isPartial && hasEqualFields(as: line) }
        guard kind == .result, let own = self["value"], let others = line["value"] else { return true }
        return own == others
    }

    /// True if the kinds, the names and the fields that both lines have are equal.
    private func hasEqualFields(as line: AppLine) -> Bool {
        guard kind == line.kind, name == line.name else { return false }
        return line.fields.allSatisfy { field in
            guard !Self.freeFields.contains(field.name), field.name != "clients", let own = self[field.name] else {
                return true
            }
            return own == field.value
        }
    }

    private static func key(_ kind: Kind, _ name: String, _ fields: [AnswerField]) -> String {
        var key = kind.rawValue + "|" + name
        let isOffset = fields.contains { $0.name == "path" && $0.value == ".info/serverTimeOffset" }
        for field in fields.sorted(by: { $0.name < $1.name }) {
            if freeFields.contains(field.name) || isOffset && field.name == "value" { continue }
            if kind == .result, !resultFields.contains(field.name) { continue }
            var value = field.value
            if field.name == "clients" { value = String(value.split(separator: ",").count) }
            key += "|\(field.name)=\(value)"
        }
        return key
    }

    /// The value of a field; nil if there is no such field.
    package subscript(field: String) -> String? { fields.first { $0.name == field }?.value }

    /// The line as it is displayed, without the texts of messages: `callback onLogin step=8`.
    package var text: String {
        let shown = fields.map { "\($0.name)=\($0.name == "text" ? "<text>" : $0.value)" }
        return ([kind.rawValue, name] + shown).joined(separator: " ")
    }

    /// True if the line is a call of `login` or `autologin`.
    var isLoginCall: Bool { kind == .call && (name == "login" || name == "autologin") }

    /// True if the line is the call of a login that needs a connection.
    var isOnlineLoginCall: Bool { isLoginCall && (name == "autologin" || self["offline"] != "true") }

    func moved(to time: Milliseconds) -> AppLine {
        var line = self
        line.time = time
        return line
    }
}

/// Makes lines from the events of one simulated client.
struct AppLineRecorder: Sendable {
    let dialect: any Dialect
    private(set) var lines: [AppLine] = []
    private var calls: [(id: UInt32, kind: CallKind)] = []

    init(_ dialect: any Dialect) { self.dialect = dialect }

    private static let secretFields = ["id", "command", "credential", "keep-push"]

    mutating func take(_ event: SessionEvent) {
        let time = event.time.nanoseconds / 1_000_000
        switch event.content {
        case .start: lines.append(AppLine(time: time, kind: .start, name: "process"))
        case .input(.app(.background)): lines.append(AppLine(time: time, kind: .life, name: "background"))
        case .input(.app(.foreground)): lines.append(AppLine(time: time, kind: .life, name: "foreground"))
        case .input(.clientCommand(let id, let command)):
            calls.append((id.rawValue, CallKind(command)))
            let facts = command.facts
            let name = facts.first { $0.name == "command" }?.value ?? CallKind(command).word
            let shown = facts.filter { !Self.secretFields.contains($0.name) }
            lines.append(AppLine(time: time, kind: .call, name: name, fields: shown))
        case .effect(.complete(let id, let completion)):
            guard let index = calls.firstIndex(where: { $0.id == id.rawValue }) else { return }
            let call = calls.remove(at: index).kind
            let code = dialect.code(for: completion.status, of: call)
            let read = completion.rows.first?.fields.filter { $0.name == "value" } ?? []
            lines.append(
                AppLine(
                    time: time, kind: .result, name: call.word,
                    fields: [AnswerField(name: "code", value: String(code.number))] + read))
        case .effect(let effect):
            guard let callback = effect.ofClient.flatMap({ dialect.callback(for: $0) }) else { return }
            let fields = callback.fields.map { AnswerField(name: $0.name, value: Self.plain($0.value)) }
            lines.append(AppLine(time: time, kind: .callback, name: callback.name, fields: fields))
        default: break
        }
    }

    /// Returns `5` for `Name(5)`, and any other value unchanged.
    static func plain(_ value: String) -> String {
        guard value.utf8.last == UInt8(ascii: ")"), let open = value.firstIndex(of: "("),
            value[..<open].utf8.allSatisfy({ isLetter($0) || ($0 >= 48 && $0 <= 57) || $0 == 95 }),
            value.utf8.first.map(isLetter) == true
        else { return value }
        let number = value[value.index(after: open)...].dropLast()
        return Int(number) == nil ? value : String(number)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 32 >= 97 && byte | 32 <= 122 }
}
