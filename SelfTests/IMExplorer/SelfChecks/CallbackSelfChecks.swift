import IMClient
import IMProfiles
import IMSession
import IMSimulation

/// Checks that notifications of an app only use callbacks that the vendor documents (C-16).
enum CallbackSelfChecks {
    static func failure(_ decoded: DecodedSession) throws -> String? {
        let dialect = try decoded.header.dialect()
        let shapes = Dictionary(dialect.callbacks.map { ($0.name, $0) }) { $1 }
        for event in decoded.events {
            guard case .effect(let effect) = event.content,
                let callback = effect.ofClient.flatMap(dialect.callback(for:))
            else { continue }
            guard let shape = shapes[callback.name], isOf(shape, callback) else {
                return "an app is notified of something for which its vendor has no callback"
            }
        }
        return nil
    }

    /// True if the callback has the documented fields and values. A value of an enum has its number in parentheses
    /// after its name.
    private static func isOf(_ shape: CallbackShape, _ callback: Callback) -> Bool {
        callback.fields.allSatisfy { field in
            let name = String(field.value.prefix { $0 != "(" })
            return shape.fields.contains {
                $0.name == field.name && (name == field.value || $0.values.isEmpty || $0.values.contains(name))
            }
        }
    }
}
