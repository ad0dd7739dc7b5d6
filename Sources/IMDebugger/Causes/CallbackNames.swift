import IMProfiles
import IMText

/// Compares names of callbacks word by word, so that `onTokenKick` is similar to `onKick`.
enum CallbackNames {
    /// The callback that a user probably meant; nil if there is none. First choice is a callback whose name differs in
    /// a few letters, then the one with the most words in common. Otherwise it is a callback with a value that contains
    /// one of the words: `connectionStateChanged, event=ZIMConnectionEventKickedOut(3)` for `onKick`.
    static func similar(to name: String, among callbacks: [CallbackShape]) -> String? {
        if let near = Suggestion.nearest(to: name, among: callbacks.map(\.name)) { return near }
        let wanted = Set(words(of: name))
        var best: (name: String, common: Int, count: Int)?
        for callback in callbacks {
            let own = words(of: callback.name)
            let common = wanted.intersection(own).count
            guard common > 0, best.map({ (common, -own.count) > ($0.common, -$0.count) }) ?? true else { continue }
            best = (callback.name, common, own.count)
        }
        if let best { return best.name }
        for callback in callbacks {
            for field in callback.fields {
                let value = field.values.first { value in wanted.contains { value.lowercased().contains($0) } }
                if let value { return "\(callback.name), \(field.name)=\(value)" }
            }
        }
        return nil
    }

    /// The words of a name in lower case: `token` and `kick` of `onTokenKick`. `on` is omitted, because most callbacks
    /// begin with it.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words.filter { $0 != "on" }
    }
}
