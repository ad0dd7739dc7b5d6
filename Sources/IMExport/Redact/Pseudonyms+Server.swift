import Foundation
import IMDebugger
import IMProtocol
import IMServer
import IMSession
import IMTree

// The state with which a server starts after a restart. The types of the state are internal to the server's module. So
// this code replaces personal values in the recorded JSON, by the names of its fields.

extension Pseudonyms {
    func server(_ machine: ServerMachine) throws -> ServerMachine {
        let tree = try JSONDecoder().decode(StateJSON.self, from: JSONEncoder().encode(machine))
        let result = state(tree, field: "", parents: [])
        return try JSONDecoder().decode(ServerMachine.self, from: JSONEncoder().encode(result))
    }

    /// - Parameters:
    ///   - field: the name of the value's field.
    ///   - parents: the names of the enclosing fields, the nearest last.
    private func state(_ value: StateJSON, field: String, parents: [String]) -> StateJSON {
        switch value {
        case .null, .bool: return value
        case .integer, .natural, .number: return number(value, isOfTree: field == "_0" && parents.last == "number")
        case .text(let text): return .text(string(text, field, parents))
        case .list(let values):
            return .list(
                values.map { value in
                    // In `members`, the name of a member is followed by the list of the member's devices.
                    let isOfMember = if case .list = value, field == "members" { true } else { false }
                    return state(value, field: isOfMember ? "devices" : field, parents: parents)
                })
        case .fields(let fields):
            guard field != "policy" else { return value }
            if let id = fields["id"], let name = fields["name"], let ext = fields["ext"], fields["platform"] != nil {
                return .fields(
                    fields.merging([
                        "id": id.map { self.name($0, .device) }, "name": name.map { text($0, .model) },
                        "ext": ext.map { text($0) },
                    ]) { $1 })
            }
            if fields.count == 2, case .text(let name)? = fields["name"], case .text(let value)? = fields["value"] {
                if field == "attributes" {
                    return .fields(["name": .text(attributeName(name)), "value": .text(text(value))])
                }
                if let (privacy, _) = DataFields.privacy(of: name, isGroup: false) {
                    var visitor = Pseudonymizer(self)
                    return .fields([
                        "name": .text(fieldName(name)), "value": .text(visitor.hidden(value, privacy)),
                    ])
                }
            }
            let around = parents + [field]
            // Fields are visited in the order of their names, so that pseudonyms are always assigned in the same order.
            var result: [String: StateJSON] = [:]
            for name in fields.keys.sorted() {
                result[name] = fields[name].map { state($0, field: name, parents: around) }
            }
            return .fields(result)
        }
    }

    private func number(_ value: StateJSON, isOfTree: Bool) -> StateJSON {
        guard isOfTree else { return value }
        let original: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .natural(let number): Double(number)
            case .number(let number): number
            case .null, .bool, .text, .list, .fields: nil
            }
        guard let original else { return value }
        let pseudonym = number(original)
        return pseudonym == original ? value : .number(pseudonym)
    }

    private func string(_ text: String, _ field: String, _ parents: [String]) -> String {
        switch field {
        case "accounts", "removedUsers", "watchers", "user", "from", "to", "members": name(text, .user)
        case "devices", "device": name(text, .device)
        case "channels", "channelsSince", "replayed", "joined": name(text, .channel)
        case "id": identifier(text)
        case "process": process(text)
        case "keys", "key": key(TreeKey(text)).text
        case "target": name(text, .target)
        case "name" where parents.last == "channels": name(text, .channel)
        case "name": word(text)
        case "text": item(text)
        default: self.text(text)
        }
    }
}

/// JSON of unknown structure.
private indirect enum StateJSON: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case natural(UInt64)
    case number(Double)
    case text(String)
    case list([StateJSON])
    case fields([String: StateJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([String: StateJSON].self) {
            self = .fields(value)
        } else if let value = try? container.decode([StateJSON].self) {
            self = .list(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .natural(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .natural(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .fields(let fields): try container.encode(fields)
        }
    }

    func map(_ change: (String) -> String) -> StateJSON {
        if case .text(let text) = self { return .text(change(text)) }
        return self
    }
}
