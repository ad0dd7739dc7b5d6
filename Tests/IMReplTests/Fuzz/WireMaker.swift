import Foundation
import SansIO

@testable import IMExport
@testable import IMRepl
@testable import IMText

/// The messages of the protocol and of the recordings, from the .proto files, with the message type of each field.
struct WireSchema {
    struct Field: Hashable {
        var number: Int
        var name: String
        /// The full name of the message type; nil for a plain value.
        var message: String?
        var type: String

        var isNumber: Bool { message == nil && type != "string" && type != "bytes" }
    }

    static let messages: [String: [Field]] = {
        let names = Set(SchemaMessage.all.map(\.name))
        var messages: [String: [Field]] = [:]
        for message in SchemaMessage.all {
            messages[message.name] = message.fields.map { field in
                // A type is declared in the message itself, in an enclosing message, or in the package.
                var scope = message.name.split(separator: ".").map(String.init)
                var found: String?
                while found == nil, !scope.isEmpty {
                    let candidate = (scope + [field.type]).joined(separator: ".")
                    if names.contains(candidate) { found = candidate }
                    scope.removeLast()
                }
                return Field(number: field.number, name: field.name, message: found, type: field.type)
            }
        }
        return messages
    }()
}

/// Generates random messages of the schema, with ordinary and extreme values.
struct WireMaker {
    var random: SeededRandom
    /// One value in this number is extreme.
    var extremesOneIn: UInt64 = 3
    /// Names that exist at the receiver.
    var names = ["alice", "bob", "phone", "phone-5cc1", "pad-ec67", "nim", "room", "m-1"]

    private static let depthMax = 6

    mutating func message(_ name: String, depth: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in WireSchema.messages[name] ?? [] where depth < Self.depthMax || field.message == nil {
            // Most messages have only one of several fields. In some cases a field occurs twice.
            if random.isOne(in: 3) { continue }
            repeat { bytes += value(of: field, depth: depth) } while random.isOne(in: 8)
        }
        return bytes
    }

    /// A message with only this field.
    mutating func message(_ name: String, only field: WireSchema.Field) -> [UInt8] { value(of: field, depth: 0) }

    private mutating func value(of field: WireSchema.Field, depth: Int) -> [UInt8] {
        if let message = field.message { return Wire.bytes(field.number, self.message(message, depth: depth + 1)) }
        switch field.type {
        case "double": return Wire.double(field.number, random.pick(Extremes.doubles))
        case "string": return Wire.bytes(field.number, Array(text().utf8))
        case "bytes": return Wire.bytes(field.number, Array(text().utf8))
        case "bool": return Wire.varint(field.number, random.below(2))
        default:
            // Most numbers are enums, which define only small values.
            return Wire.varint(
                field.number, random.isOne(in: extremesOneIn) ? random.pick(Extremes.integers) : random.below(20))
        }
    }

    private mutating func text() -> String {
        random.isOne(in: extremesOneIn) ? random.pick(Extremes.texts) : random.pick(names)
    }
}

/// The part of protobuf's wire format that these tests need to write and change messages.
enum Wire {
    static func varint(_ number: Int, _ value: UInt64) -> [UInt8] { raw(UInt64(number) << 3) + raw(value) }

    static func bytes(_ number: Int, _ value: [UInt8]) -> [UInt8] {
        raw(UInt64(number) << 3 | 2) + raw(UInt64(value.count)) + value
    }

    static func double(_ number: Int, _ value: Double) -> [UInt8] {
        raw(UInt64(number) << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * $0)) }
    }

    static func raw(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }

    /// One encoded field of a message.
    struct Part {
        var number: Int
        /// The bytes of the whole field, including its key.
        var bytes: [UInt8]
        /// The content of a field with a length; nil for other fields.
        var contents: [UInt8]?
    }

    /// The fields of an encoded message; nil for invalid bytes.
    static func parts(_ bytes: [UInt8]) -> [Part]? {
        var parts: [Part] = []
        var index = 0
        func number() -> UInt64? {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while index < bytes.count, shift < 64 {
                let byte = bytes[index]
                index += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        while index < bytes.count {
            let begin = index
            guard let key = number(), key >> 3 > 0, key >> 3 < 1 << 20 else { return nil }
            var contents: [UInt8]?
            switch key & 7 {
            case 0: guard number() != nil else { return nil }
            case 1: index += 8
            case 2:
                guard let length = number(), length <= UInt64(bytes.count - index) else { return nil }
                contents = Array(bytes[index..<index + Int(length)])
                index += Int(length)
            case 5: index += 4
            default: return nil
            }
            guard index <= bytes.count else { return nil }
            parts.append(Part(number: Int(key >> 3), bytes: Array(bytes[begin..<index]), contents: contents))
        }
        return parts
    }
}

extension WireMaker {
    /// Changes one field of an encoded message, at any depth.
    mutating func changed(_ bytes: [UInt8], of name: String, depth: Int = 0) -> [UInt8] {
        guard let fields = WireSchema.messages[name], !fields.isEmpty, var parts = Wire.parts(bytes) else {
            return bytes
        }
        if parts.isEmpty || random.isOne(in: 8) {
            parts.append(Wire.Part(number: 0, bytes: message(name, only: random.pick(fields))))
            return parts.flatMap(\.bytes)
        }
        let partIndex = Int(random.below(UInt64(parts.count)))
        guard let field = fields.first(where: { $0.number == parts[partIndex].number }) else { return bytes }
        if let inner = field.message, let contents = parts[partIndex].contents, depth < Self.depthMax,
            !random.isOne(in: 10)
        {
            parts[partIndex].bytes = Wire.bytes(field.number, changed(contents, of: inner, depth: depth + 1))
        } else if field.type == "bytes", let contents = parts[partIndex].contents {
            parts[partIndex].bytes = Wire.bytes(field.number, changedJSON(contents))
        } else {
            switch random.below(8) {
            case 0: parts.remove(at: partIndex)
            case 1: parts.append(parts[partIndex])
            default:
                var extreme = self
                extreme.extremesOneIn = 1
                parts[partIndex].bytes = extreme.message(name, only: field)
                random = extreme.random
            }
        }
        return parts.flatMap(\.bytes)
    }

    /// Changes one value in a JSON text, preferably a number.
    mutating func changedJSON(_ bytes: [UInt8]) -> [UInt8] {
        var numbers: [Range<Int>] = []
        var texts: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            let begin = index
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + 1, bytes.count)
                // This text may be a key. A changed key has the same effect as a missing one.
                texts.append(begin..<index)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                while index < bytes.count, "-+.eE0123456789".utf8.contains(bytes[index]) { index += 1 }
                numbers.append(begin..<index)
            default: index += 1
            }
        }
        let isNumber = !numbers.isEmpty && !random.isOne(in: 4)
        guard let range = isNumber ? random.pick(numbers) : texts.isEmpty ? nil : random.pick(texts) else {
            return bytes
        }
        let value: String
        if isNumber {
            let number = random.pick(Extremes.integers)
            value = random.isOne(in: 2) ? String(number) : String(Int64(bitPattern: number))
        } else {
            value = JSONText.quoted(random.pick(Extremes.texts))
        }
        return bytes[..<range.lowerBound] + Array(value.utf8) + bytes[range.upperBound...]
    }
}
