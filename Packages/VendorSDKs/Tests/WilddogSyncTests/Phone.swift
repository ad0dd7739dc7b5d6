import Foundation
import SimulatedApp
import WilddogSync

/// An app that only listens. It stores the events of its observers as text.
@MainActor
final class Phone {
    private(set) var heard: [String] = []
    /// Called for each event, with its text.
    var onWord: ((String) -> Void)?

    init(isPersistent: Bool = false) {
        WDGApp.configure(with: WDGOptions(syncURL: "https://samplechat.wilddogio.com"))
        if isPersistent { WDGSync.sync().persistenceEnabled = true }
    }

    var root: WDGSyncReference { WDGSync.sync().reference() }

    func child(_ path: String) -> WDGSyncReference { root.child(path) }

    func forget() { heard = [] }

    func note(_ word: String) {
        heard.append(word)
        onWord?(word)
    }

    @discardableResult
    func observe(_ query: WDGSyncQuery, _ types: WDGDataEventType..., name: String = "") -> [WDGSyncHandle] {
        types.map { type in
            let sign = name.isEmpty ? "" : name + " "
            return query.observe(
                type,
                andPreviousSiblingKeyWith: { snapshot, previous in
                    MainActor.assumeIsolated {
                        let behind = previous.map { " after \($0)" } ?? ""
                        self.note("\(sign)\(type) \(snapshot.key)=\(json(snapshot.value))\(behind)")
                    }
                },
                withCancel: { error in
                    MainActor.assumeIsolated { self.note("\(sign)cancelled \((error as NSError).code)") }
                })
        }
    }

    /// The result of a write, as a word.
    func told(_ name: String) -> (((any Error)?, WDGSyncReference) -> Void) {
        { error, reference in
            MainActor.assumeIsolated {
                let end = error.map { "failed \(($0 as NSError).code)" } ?? "ok"
                self.note(
                    "\(name) \(end) at /\(reference.url.split(separator: "/").dropFirst(2).joined(separator: "/"))")
            }
        }
    }

    /// The result of a transaction, as a word.
    func ended(_ error: (any Error)?, _ isCommitted: Bool, _ snapshot: WDGDataSnapshot?) {
        note(error.map { "failed \(($0 as NSError).code)" } ?? "committed \(isCommitted)")
    }
}

/// A value as JSON, with sorted keys.
func json(_ value: Any?) -> String {
    guard let value else { return "null" }
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
    let data = try? JSONSerialization.data(withJSONObject: value, options: options)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
}

/// A launched app on a device.
@MainActor
func phone(
    _ name: String = "phone", isPersistent: Bool = false, in simulation: Simulation
) throws -> (SimulatedDevice, Phone) {
    let device = simulation.device(name)
    return (device, try device.launch { Phone(isPersistent: isPersistent) })
}
