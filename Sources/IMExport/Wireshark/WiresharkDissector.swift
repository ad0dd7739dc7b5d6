import IMClient
import IMLocalData
import IMProtocol
import IMSession
import IMText

/// The dissector for Wireshark, as a Lua script. It shows the contents of a session's packets as fields.
///
/// The script consists of the messages of the .proto files, the names of the project's enums, and `dissector.lua`,
/// which reads packets.
public enum WiresharkDissector {
    /// The output of `imrepl wireshark --print`.
    public static var script: String {
        var lines = [
            "-- The dissector of imrepl's session files, \(Version.number). "
                + "'imrepl wireshark --install' installs it.",
            "local messages = {",
        ]
        for message in SchemaMessage.all {
            let fields = message.fields.map { entry(of: $0, in: message) }
            lines.append("  [\(LuaText.quoted(message.name))] = { \(fields.joined(separator: ", ")) },")
        }
        lines += ["}", "local enums = {"]
        for (name, values) in enums {
            let entries = values.map { "[\($0.0)] = \(LuaText.quoted($0.1))" }
            lines.append("  [\(LuaText.quoted(name))] = { \(entries.joined(separator: ", ")) },")
        }
        lines.append("}")
        lines.append("local roles = { \(roles.map(LuaText.quoted).joined(separator: ", ")) }")
        let kinds = kinds.map { "\($0.0) = \(LuaText.quoted($0.1))" }
        lines.append("local kinds = { \(kinds.joined(separator: ", ")) }")
        return lines.joined(separator: "\n") + "\n\n" + String(decoding: PackageResources.dissector_lua, as: UTF8.self)
    }

    /// A field as an entry of a Lua table.
    private static func entry(of field: SchemaMessage.Field, in message: SchemaMessage) -> String {
        let key = "\(message.name.split(separator: ".").dropFirst(2).joined(separator: ".")).\(field.name)"
        let set = enumOfField[key].map { ", enum = \(LuaText.quoted($0))" } ?? ""
        let (name, type) = (LuaText.quoted(field.name), LuaText.quoted(field.type))
        return "[\(field.number)] = { name = \(name), type = \(type)\(set) }"
    }

    /// The roles of `Recorder.EventRole`, from 1, with the names of `show --json`.
    private static let roles = [
        "header", "clock", "start", "input", "effect", "fault", "mark", "keyframe", "stop", "closing",
    ]

    /// The kind of event of each record, with the names of `show --json`.
    private static let kinds = [
        ("start", "start"), ("client_command", "command"), ("server_command", "command"), ("completion", "result"),
        ("link", "link"), ("unreadable", "frame"), ("deadline", "timer"), ("network", "network"), ("app", "app"),
        ("persist", "store"), ("keep", "store"), ("notification", "callback"), ("transition", "transition"),
        ("presence", "presence"), ("environment", "fault"), ("data_request", "data"), ("data_answer", "data"),
    ]

    private static let enumOfField = [
        "Device.platform": "platform", "LoginRequest.mode": "mode", "Login.mode": "mode",
        "LoginReply.status": "status", "StatusReply.status": "status", "RenewReply.status": "status",
        "SendReply.status": "status", "ChannelReply.status": "status", "AccountReply.status": "status",
        "Answer.status": "status", "TreeReply.status": "status", "Completion.status": "status",
        "KickNotice.reason": "kick", "Goodbye.reason": "goodbye", "SyncPhase.phase": "phase",
        "DevicesChange.change": "devices", "Presence.change": "presence", "Operation.kind": "operation",
        "Transition.from": "state", "Transition.to": "state", "Transition.reason": "reason",
        "LinkEvent.what": "link", "LinkEvent.fault": "fault", "NetworkChange.change": "network",
        "Notification.login_step": "step", "Notification.autologin_failed": "status", "ClientCommand.query": "query",
        "LocalItem.kind": "item", "Change.kind": "change", "DataCall.call": "call", "DataResult.status": "status",
        "DataAnswer.failed": "status",
    ]

    private static var enums: [(String, [(Int, String)])] {
        func table<Value: CaseIterable & RawRepresentable>(
            _ type: Value.Type, _ name: (Value) -> String
        ) -> [(Int, String)] where Value.RawValue == UInt8 {
            type.allCases.map { (Int($0.rawValue), name($0)) }
        }
        return [
            ("state", table(ClientState.self, \.name)), ("reason", table(StateReason.self, \.name)),
            ("step", table(LoginStep.self, \.name)), ("fault", table(LinkError.self, \.name)),
            ("network", table(NetworkChange.self, \.name)), ("query", table(ClientQuery.self, \.name)),
            ("item", table(LocalItem.Kind.self, \.name)), ("platform", table(Platform.self, \.name)),
            ("operation", table(OperationKind.self, \.name)), ("mode", table(LoginMode.self) { "\($0)" }),
            ("kick", table(KickReason.self, \.name)), ("devices", table(DeviceChange.self) { "\($0)" }),
            ("goodbye", table(GoodbyeReason.self, \.name)), ("presence", table(PresenceChange.self, \.name)),
            ("status", table(Status.self, \.name)), ("phase", table(SyncPhase.self, \.name)),
            ("change", table(ChangeKind.self, \.name)), ("call", table(LocalCall.self, \.name)),
            ("link", [(1, "connect"), (2, "close"), (3, "opened"), (4, "failed"), (5, "closed")]),
        ]
    }
}
