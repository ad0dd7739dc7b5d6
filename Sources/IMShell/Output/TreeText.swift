import Foundation
import IMCommands
import IMProtocol

/// What is typed about the tree, as the protocol has it.
enum TreeText {
    static func request(_ action: TreeAction, at typed: String) throws -> TreeRequest {
        let path = path(typed)
        switch action {
        case .set(let text): return .set(path: path, value(text))
        case .update(let text): return .update(path: path, try children(text))
        case .remove: return .set(path: path, .null)
        case .get: return .get(path: path)
        case .on: return .listen(path: path)
        case .off: return .unlisten(path: path)
        case .onDisconnectSet(let text): return .onDisconnect(path: path, value(text), merges: false)
        case .onDisconnectUpdate(let text): return .onDisconnect(path: path, try children(text), merges: true)
        case .onDisconnectRemove: return .onDisconnect(path: path, .null, merges: false)
        case .onDisconnectCancel: return .cancelOnDisconnect(path: path)
        }
    }

    /// Without slashes at either end; what is between is the core's to judge. Taken off by bytes: a combining mark
    /// behind a slash makes another character of it, and the key stays wrong.
    static func path(_ typed: String) -> String {
        var bytes = typed.utf8[...]
        let slash = UInt8(ascii: "/")
        while bytes.first == slash { bytes.removeFirst() }
        while bytes.last == slash { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// JSON if it is that, and else the text itself: `sync set a/b hello` needs no quotes within quotes.
    static func value(_ text: String) -> TreeValue {
        guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) else {
            return .text(text)
        }
        return value(of: json)
    }

    private static func children(_ text: String) throws -> TreeValue {
        let value = value(text)
        guard case .children = value else {
            throw CommandFailure("an update takes children, as in: sync update users/alice '{\"mood\": \"fine\"}'")
        }
        return value
    }

    private static func value(of json: Any) -> TreeValue {
        switch json {
        case let number as NSNumber: return isBoolean(number) ? .bool(number.boolValue) : .number(number.doubleValue)
        case let text as String: return .text(text)
        // A list is children under their places, as the vendor has it.
        case let list as [Any]: return .children(children(list.enumerated().map { (String($0.offset), $0.element) }))
        case let object as [String: Any]: return .children(children(object.map { ($0.key, $0.value) }))
        default: return .null
        }
    }

    /// In the order of their keys, whatever order a dictionary has. A null stays: in an update it removes a child, and
    /// everywhere else the core drops it.
    private static func children(_ pairs: [(String, Any)]) -> [TreeChild] {
        pairs.sorted { $0.0 < $1.0 }.map { TreeChild($0.0, value(of: $0.1)) }
    }

    /// Foundation has booleans as numbers; what they were is told by their type.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == String(cString: NSNumber(value: true).objCType)
    }
}
