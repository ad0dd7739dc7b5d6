import IMClient
import IMProfiles
import IMSession
import IMSimulation

/// Notifications of an app use only callbacks that the vendor has (C-16).
enum CallbackSelfChecks {
    static func failure(_ decoded: DecodedSession) throws -> String? {
        let dialect = try decoded.header.dialect()
        let shapes = Dictionary(dialect.callbacks.map { ($0.name, $0) }) { $1 }
        for event in decoded.events {
            guard case .effect(let effect) = event.content,
                let callback = effect.ofClient.flatMap(dialect.callback(for:))
            else { continue }
            guard let shape = shapes[callback.name], isOf(shape, callback) else {
                return "an app is told something for which its vendor has no callback"
            }
        }
        return nil
    }

    /// An enum's value has its number after its name.
    private static func isOf(_ shape: CallbackShape, _ callback: Callback) -> Bool {
        callback.fields.allSatisfy { field in
            let name = String(field.value.prefix { $0 != "(" })
            return shape.fields.contains {
                $0.name == field.name && (name == field.value || $0.values.isEmpty || $0.values.contains(name))
            }
        }
    }
}
