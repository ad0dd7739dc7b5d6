import IMProtocol
import IMTree

/// Visits the fields of a frame, a command, an effect or another part of an event. Reading, editing and redacting are
/// visitors, so that each field is declared once, next to its value's type.
///
/// Each method receives a field and returns its value: the same one or a replacement. The methods are called in display
/// order.
package protocol FieldVisitor {
    /// True if the visitor changes nothing, so that values need not be built again.
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

    /// The data at a path of the tree.
    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode

    /// A query of the tree.
    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery

    /// The expression with which a transaction computes the new value.
    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression

    /// The hash of the data at a path of the tree.
    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash

    /// Names and values that users made up.
    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField]

    /// A field whose name a user chose.
    mutating func setting(key: String, value: String) -> (key: String, value: String)

    /// The login mode of a command; shown if it is not the usual one.
    mutating func loginMode(_ mode: LoginMode) -> LoginMode

    /// A text that is not shown, or only as part of another field.
    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String

    /// A display value that is no field by itself: the word for its event, a count, a list in one line.
    mutating func shown(_ name: String, _ value: @autoclosure () -> String)
}

/// A user's permission to change a field of a frame or of a command. Other events cannot be edited.
package enum FieldEditing: Sendable {
    case editable, fixed
}

/// A value with fields.
package protocol HasFields {
    /// Passes all of its fields to a visitor.
    ///
    /// - Returns: the same value with the visitor's replacements.
    @discardableResult func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Self
}

// Shorthands for the most common fields.
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

    /// Names, shown in one line.
    mutating func names(_ name: FieldName, _ values: [String], _ privacy: FieldPrivacy) -> [String] {
        shown(name, values.joined(separator: ","))
        return Self.onlyReads ? values : values.map { hidden($0, privacy) }
    }

    /// Devices, whose ids are shown in one line.
    mutating func devices(_ name: FieldName, _ devices: [Device]) -> [Device] {
        shown(name, devices.map(\.id).joined(separator: ","))
        return Self.onlyReads ? devices : devices.map { device($0) }
    }

    /// A device of which the id is shown, or nothing.
    mutating func device(_ device: Device, id name: FieldName? = nil) -> Device {
        var device = device
        device.id = name.map { text($0, device.id, .device, .fixed) } ?? hidden(device.id, .device)
        device.name = hidden(device.name, .text(.model))
        device.ext = hidden(device.ext, .text(.text))
        return device
    }

    /// The device that an event is about.
    package mutating func ownDevice(_ device: Device) -> Device {
        var device = device
        device.id = text(.device, device.id, .device)
        device.platform = choice(.platform, device.platform)
        device.name = hidden(device.name, .text(.model))
        device.ext = hidden(device.ext, .text(.text))
        return device
    }

    /// Rows of an answer.
    mutating func rows(_ rows: [AnswerRow]) -> [AnswerRow] {
        rows.map { AnswerRow(fields: attributes($0.fields)) }
    }

    /// The data at several paths below one, in one line.
    mutating func parts(_ name: FieldName, _ parts: [TreeWrite.Part]) -> [TreeWrite.Part] {
        shown(name, TreeWrite.Change.update(parts).description)
        guard !Self.onlyReads else { return parts }
        return parts.map { part in
            let keys = part.keys.map { $0 == .priority ? $0 : TreeKey(hidden($0.text, .path)) }
            return TreeWrite.Part(keys, tree(name, part.node))
        }
    }

    /// A phase in a frame.
    mutating func phase(_ phase: SyncPhase) -> SyncPhase { choice(.phase, FramePhase(phase)).phase }
}
