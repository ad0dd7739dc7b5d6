import IMClient
import IMDialects
import IMSession
import IMSimulation

/// What an app is told in its vendor's words: callbacks that there are, and none again for a change of state that it does
/// not see (CHAT-1, C-3).
enum CallbackLaws {
    static func fault(_ decoded: DecodedSession) throws -> String? {
        let dialect = try decoded.header.dialect()
        let shapes = Dictionary(dialect.callbacks.map { ($0.name, $0) }) { $1 }
        var told: [String: Callback] = [:]
        for event in decoded.events {
            switch event.content {
            case .start, .stop: told[event.node] = nil
            case .effect(let effect):
                guard let effect = effect.ofClient, let callback = dialect.callback(for: effect) else { continue }
                guard let shape = shapes[callback.name], isOf(shape, callback) else {
                    return "an app is told something for which its vendor has no callback"
                }
                guard case .transition = effect else { continue }
                if told.updateValue(callback, forKey: event.node) == callback {
                    return "an app is told of the state that it knows of"
                }
            default: break
            }
        }
        return nil
    }

    /// A value of an enum has its number behind its name.
    private static func isOf(_ shape: CallbackShape, _ callback: Callback) -> Bool {
        callback.fields.allSatisfy { field in
            let name = String(field.value.prefix { $0 != "(" })
            return shape.fields.contains {
                $0.name == field.name && (name == field.value || $0.values.isEmpty || $0.values.contains(name))
            }
        }
    }
}
