import Foundation
import IMProtocol

/// What is typed about the tree, as the protocol has it.
enum TreeText {
    static func request(_ action: TreeAction, at path: String) throws -> TreeRequest {
        let path = path.split(separator: "/").joined(separator: "/")
        switch action {
        case .set(let text): return .set(path: path, try value(text))
        case .update(let text): return .update(path: path, try children(text))
        case .remove: return .set(path: path, .null)
        case .get: return .get(path: path)
        case .on: return .listen(path: path)
        case .off: return .unlisten(path: path)
        case .onDisconnectSet(let text): return .onDisconnect(path: path, try value(text), merges: false)
        case .onDisconnectUpdate(let text): return .onDisconnect(path: path, try children(text), merges: true)
        case .onDisconnectRemove: return .onDisconnect(path: path, .null, merges: false)
        case .onDisconnectCancel: return .cancelOnDisconnect(path: path)
        }
    }

    /// JSON if it is that, and else the text itself: `sync set a/b hello` needs no quotes within quotes.
    static func value(_ text: String) throws -> TreeValue {
        guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) else {
            return .text(text)
        }
        return value(of: json)
    }

    private static func children(_ text: String) throws -> TreeValue {
        let value = try value(text)
        guard case .children = value else {
            throw CommandFailure("an update takes children: sync update users/alice '{\"mood\": \"fine\"}'")
        }
        return value
    }

    private static func value(of json: Any) -> TreeValue {
        switch json {
        // Foundation has booleans as numbers; what they were is told by their type.
        case let number as NSNumber:
            return CFBooleanText.isBoolean(number) ? .bool(number.boolValue) : .number(number.doubleValue)
        case let text as String: return .text(text)
        case let list as [Any]:
            return .children(sorted(list.enumerated().map { (String($0.offset), value(of: $0.element)) }))
        case let object as [String: Any]:
            return .children(sorted(object.map { ($0.key, value(of: $0.value)) }))
        default: return .null
        }
    }

    private static func sorted(_ pairs: [(String, TreeValue)]) -> [TreeChild] {
        pairs.sorted { $0.0 < $1.0 }.map { TreeChild($0.0, $0.1) }
    }

    private enum CFBooleanText {
        static func isBoolean(_ number: NSNumber) -> Bool {
            String(cString: number.objCType) == String(cString: NSNumber(value: true).objCType)
        }
    }
}
