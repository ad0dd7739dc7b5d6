import IMProfiles

// Access to the fields of the dialects' callbacks: modules take names and numbers from there, so that they are written
// once.

extension Callback {
    /// The text of a field; empty if there is none.
    public subscript(field: String) -> String { fields.first { $0.name == field }?.value ?? "" }

    /// The number in a field of the form `Name(number)`; nil for another form.
    public func number(_ field: String) -> Int? {
        let text = self[field]
        guard text.hasSuffix(")"), let open = text.lastIndex(of: "(") else { return nil }
        return Int(text[text.index(after: open)...].dropLast())
    }
}
