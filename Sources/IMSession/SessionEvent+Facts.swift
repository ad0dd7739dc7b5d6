import IMClient
import IMProtocol

// The fields of an event as names and values, in a fixed order. They do not depend on the vendor. The folder Fields
// declares the fields.

extension SessionEvent {
    /// The fields of the event, with the names that filters and JSON use; empty if the kind of the event has no fields.
    public var facts: [AnswerField] {
        switch content {
        case .header, .clock, .stop, .closing: []
        case .start(let start): FieldReader.fields(of: start)
        case .environment(.observed(let event)): event.facts
        case .environment(let action): fact(.command, action.command)
        case .mark(let text): fact(.text, text)
        case .keyframe(let bytes): fact(.bytes, String(bytes))
        case .unreadable(let why): fact(.error, why)
        case .input(let input): FieldReader.fields(of: input)
        case .effect(let effect): FieldReader.fields(of: effect)
        }
    }

    private func fact(_ name: FieldName, _ value: String) -> [AnswerField] {
        [AnswerField(name: name.rawValue, value: value)]
    }
}

extension ClientCommand {
    /// The command's name and arguments.
    public var facts: [AnswerField] { FieldReader.fields(of: self) }
}

extension Frame {
    /// The kind of the frame and its fields.
    public var facts: [AnswerField] { FieldReader.fields(of: self) }

    /// The fields of the frame.
    public var details: [AnswerField] {
        var reader = FieldReader()
        _ = visitDetails(&reader)
        return reader.fields
    }
}
