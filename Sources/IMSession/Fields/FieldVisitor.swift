import IMProtocol
import IMTree

/// Visits the fields of a part of an event, such as a frame, a command or an effect. There is a visitor for reading,
/// one for editing and one for redacting. So each field is declared only once, in the type's
/// ``HasFields/visitFields(_:)``.
///
/// Each method receives a field, and returns the same value or a replacement. The methods are called in display order.
package protocol FieldVisitor {
    /// True if the visitor replaces no value, so that values need not be built again from their fields.
    static var onlyReads: Bool { get }

    mutating func text(
        _ name: FieldName, _ value: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String

    /// - Parameter none: the text shown for nil.
    mutating func text(
        _ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String?

    mutating func number<Number: FixedWidthInteger>(
        _ name: FieldName, _ value: Number, _ editing: FieldEditing
    ) -> Number

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice

    /// - Parameter none: the text shown for nil.
    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice?

    /// Visits the data at a path of the tree.
    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode

    /// Visits a query of the tree.
    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery

    /// Visits the expression with which a transaction computes the new value.
    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression

    /// Visits the hash of the data at a path of the tree.
    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash

    /// Visits attributes: fields whose names and values users choose.
    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField]

    /// Visits a setting of the server's policy. Its key is the name of the field.
    mutating func setting(key: String, value: String) -> (key: String, value: String)

    /// Visits the login mode of a command. Only forced and offline logins show it.
    mutating func loginMode(_ mode: LoginMode) -> LoginMode

    /// Visits a text that is not shown as a field of its own.
    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String

    /// Shows a value that no visitor can replace: a word for the event, a count, a list in one line.
    mutating func shown(_ name: String, _ value: @autoclosure () -> String)
}

/// Whether a user can change a field of a frame or of a command. The fields of other events cannot be changed.
package enum FieldEditing: Sendable {
    case editable, fixed
}

/// A value with fields.
package protocol HasFields {
    /// Passes each field of the value to a visitor.
    ///
    /// - Returns: the value with the replacements that the visitor returned.
    @discardableResult func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Self
}

// Shorter forms of the methods for the most common fields.
extension FieldVisitor {
    package mutating func loginMode(_ mode: LoginMode) -> LoginMode {
        switch mode {
        case .forced: shown(.forced, "true")
        case .offline: shown(.offline, "true")
        case .manual, .automatic, .resume, .guest: break
        }
        return mode
    }

    mutating func shown(_ name: FieldName, _ value: @autoclosure () -> String) { shown(name.rawValue, value()) }

    mutating func text(_ name: FieldName, _ value: String, _ privacy: FieldPrivacy) -> String {
        text(name, value, privacy, .editable)
    }

    mutating func text(_ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy) -> String? {
        text(name, value, none: none, privacy, .editable)
    }

    mutating func number<Number: FixedWidthInteger>(_ name: FieldName, _ value: Number) -> Number {
        number(name, value, .editable)
    }

    mutating func flag(_ name: FieldName, _ value: Bool) -> Bool { flag(name, value, .editable) }

    mutating func choice<Choice: FieldChoice>(_ name: FieldName, _ value: Choice) -> Choice {
        choice(name, value, .editable)
    }

    mutating func choice<Choice: FieldChoice>(_ name: FieldName, _ value: Choice?, none: String) -> Choice? {
        choice(name, value, none: none, .editable)
    }

    /// Visits names, and shows them in one line.
    mutating func names(_ name: FieldName, _ values: [String], _ privacy: FieldPrivacy) -> [String] {
        shown(name, values.joined(separator: ","))
        return Self.onlyReads ? values : values.map { hidden($0, privacy) }
    }

    /// Visits devices, and shows their ids in one line.
    mutating func devices(_ name: FieldName, _ devices: [Device]) -> [Device] {
        shown(name, devices.map(\.id).joined(separator: ","))
        return Self.onlyReads ? devices : devices.map { device($0) }
    }

    /// Visits a device.
    ///
    /// - Parameter name: the field that shows the device's id; nil to show nothing.
    mutating func device(_ device: Device, id name: FieldName? = nil) -> Device {
        var device = device
        device.id = name.map { text($0, device.id, .device, .fixed) } ?? hidden(device.id, .device)
        device.name = hidden(device.name, .text(.model))
        device.ext = hidden(device.ext, .text(.text))
        return device
    }

    /// Visits the device that an event concerns, and shows its id and platform.
    package mutating func ownDevice(_ device: Device) -> Device {
        var device = device
        device.id = text(.device, device.id, .device)
        device.platform = choice(.platform, device.platform)
        device.name = hidden(device.name, .text(.model))
        device.ext = hidden(device.ext, .text(.text))
        return device
    }

    /// Visits the rows of an answer.
    mutating func rows(_ rows: [AnswerRow]) -> [AnswerRow] {
        rows.map { AnswerRow(fields: attributes($0.fields)) }
    }

    /// Visits the data at several paths below a common path, and shows it in one line.
    mutating func parts(_ name: FieldName, _ parts: [TreeWrite.Part]) -> [TreeWrite.Part] {
        shown(name, TreeWrite.Change.update(parts).description)
        guard !Self.onlyReads else { return parts }
        return parts.map { part in
            let keys = part.keys.map { $0 == .priority ? $0 : TreeKey(hidden($0.text, .path)) }
            return TreeWrite.Part(keys, tree(name, part.node))
        }
    }

    /// Visits a sync phase in a frame.
    mutating func phase(_ phase: SyncPhase) -> SyncPhase { choice(.phase, FramePhase(phase)).phase }
}
