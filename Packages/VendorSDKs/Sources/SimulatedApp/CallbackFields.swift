import IMProfiles

// What modules read in the dialects' callbacks: names and numbers stand there once.

extension Callback {
    /// The text in a field; empty where there is none.
    public subscript(field: String) -> String { fields.first { $0.name == field }?.value ?? "" }

    /// The number in a field that reads `Name(number)`; nil where it does not.
    public func number(_ field: String) -> Int? {
        let text = self[field]
        guard text.hasSuffix(")"), let open = text.lastIndex(of: "(") else { return nil }
        return Int(text[text.index(after: open)...].dropLast())
    }
}
