/// Collects the names that a value encodes into JSON: its keys, and the enum values that are encoded as text. Each key
/// is listed below the key of the object that contains it.
///
/// The names of Swift types are not encoded, so a type may be renamed.
final class KeyRecorder: Encoder {
    /// The collected names. All encoders of one value share the object.
    final class Names {
        /// The names below each key.
        var below: [String: Set<String>] = [:]
    }

    let names: Names
    private let key: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Parameter key: the key of the value, or a placeholder for the outermost value.
    init(_ names: Names, below key: String) { (self.names, self.key) = (names, key) }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(names: names, key: key))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(names: names, key: key) }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(names: names, key: key) }

    fileprivate static func take(_ value: some Encodable, below key: String, _ names: Names) throws {
        if let choice = value as? any RawRepresentable, let text = choice.rawValue as? String,
            Mirror(reflecting: value).displayStyle == .enum
        {
            names.below[key, default: []].insert("=\(text)")
        }
        try value.encode(to: KeyRecorder(names, below: key))
    }
}

extension KeyRecorder {
    fileprivate struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let names: Names
        let key: String
        var codingPath: [any CodingKey] { [] }

        private func note(_ member: Key) { names.below[key, default: []].insert(member.stringValue) }

        mutating func encodeNil(forKey member: Key) { note(member) }

        mutating func encode<T: Encodable>(_ value: T, forKey member: Key) throws {
            note(member)
            try take(value, below: member.stringValue, names)
        }

        mutating func nestedContainer<Nested>(
            keyedBy type: Nested.Type, forKey member: Key
        ) -> KeyedEncodingContainer<Nested> {
            note(member)
            return KeyedEncodingContainer(KeyRecorder.Members<Nested>(names: names, key: member.stringValue))
        }

        mutating func nestedUnkeyedContainer(forKey member: Key) -> any UnkeyedEncodingContainer {
            note(member)
            return Elements(names: names, key: member.stringValue)
        }

        mutating func superEncoder() -> any Encoder { KeyRecorder(names, below: key) }

        mutating func superEncoder(forKey member: Key) -> any Encoder {
            note(member)
            return KeyRecorder(names, below: member.stringValue)
        }
    }

    fileprivate struct Elements: UnkeyedEncodingContainer {
        let names: Names
        let key: String
        var count = 0
        var codingPath: [any CodingKey] { [] }

        init(names: Names, key: String) { (self.names, self.key) = (names, key) }

        mutating func encodeNil() { count += 1 }

        mutating func encode<T: Encodable>(_ value: T) throws {
            count += 1
            try take(value, below: key, names)
        }

        mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            count += 1
            return KeyedEncodingContainer(Members<Nested>(names: names, key: key))
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            count += 1
            return Elements(names: names, key: key)
        }

        mutating func superEncoder() -> any Encoder { KeyRecorder(names, below: key) }
    }

    fileprivate struct Single: SingleValueEncodingContainer {
        let names: Names
        let key: String
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() {}
        mutating func encode(_ value: Bool) {}
        mutating func encode(_ value: String) {}
        mutating func encode(_ value: Double) {}
        mutating func encode(_ value: Float) {}
        mutating func encode(_ value: Int) {}
        mutating func encode(_ value: Int8) {}
        mutating func encode(_ value: Int16) {}
        mutating func encode(_ value: Int32) {}
        mutating func encode(_ value: Int64) {}
        mutating func encode(_ value: UInt) {}
        mutating func encode(_ value: UInt8) {}
        mutating func encode(_ value: UInt16) {}
        mutating func encode(_ value: UInt32) {}
        mutating func encode(_ value: UInt64) {}

        mutating func encode<T: Encodable>(_ value: T) throws { try take(value, below: key, names) }
    }
}
