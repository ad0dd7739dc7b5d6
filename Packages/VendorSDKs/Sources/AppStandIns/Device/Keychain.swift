import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// An item of a device's keychain: its attributes by the names of Apple's constants, and its data.
public struct KeychainItem: @unchecked Sendable {
    public internal(set) var attributes: [String: Any]
    public internal(set) var data: Data?
}

/// The keychain of the device on which the calling code runs, with Apple's status codes. Items of an app and its
/// extensions are one set: access groups are stored and matched as attributes, but restrict nothing.
public enum Keychain {
    public static let success: Int32 = 0
    public static let invalidParameter: Int32 = -50
    public static let duplicateItem: Int32 = -25_299
    public static let itemNotFound: Int32 = -25_300

    /// Keys of a query that describe its answer, which no item has.
    private static let questions: Set<String> = [
        "r_Data", "r_Attributes", "r_Ref", "r_PersistentRef", "m_Limit", "v_Data",
    ]

    public static func add(_ attributes: [String: Any]) -> Int32 {
        guard attributes["class"] != nil else { return invalidParameter }
        let stored = attributes.filter { !questions.contains($0.key) }
        let storage = DeviceStorage.current
        let identity = identity(of: stored)
        guard !storage.keychain.contains(where: { Self.identity(of: $0.attributes) == identity }) else {
            return duplicateItem
        }
        storage.keychain.append(KeychainItem(attributes: stored, data: attributes["v_Data"] as? Data))
        return success
    }

    /// The result of a query: data, attributes or both as requested, a list if it requests all.
    public static func find(_ query: [String: Any]) -> (status: Int32, result: Any?) {
        let found = DeviceStorage.current.keychain.filter { matches($0, query) }
        guard let first = found.first else { return (itemNotFound, nil) }
        let isAll = query["m_Limit"] as? String == "m_LimitAll"
        if isAll { return (success, found.compactMap { answer($0, query) }) }
        return (success, answer(first, query))
    }

    public static func update(_ query: [String: Any], with changes: [String: Any]) -> Int32 {
        let storage = DeviceStorage.current
        let indices = storage.keychain.indices.filter { matches(storage.keychain[$0], query) }
        guard !indices.isEmpty else { return itemNotFound }
        for index in indices {
            for (key, value) in changes where !questions.contains(key) {
                storage.keychain[index].attributes[key] = value
            }
            if let data = changes["v_Data"] as? Data { storage.keychain[index].data = data }
        }
        return success
    }

    public static func remove(_ query: [String: Any]) -> Int32 {
        let storage = DeviceStorage.current
        let count = storage.keychain.count
        storage.keychain.removeAll { matches($0, query) }
        return storage.keychain.count == count ? itemNotFound : success
    }

    /// Two items of a class are the same if these attributes are equal; a missing service or account counts as empty.
    private static func identity(of attributes: [String: Any]) -> [String] {
        ["class", "acct", "svce", "agrp", "srvr", "sync", "atag"].map { attributes[$0].map { "\($0)" } ?? "" }
    }

    private static func matches(_ item: KeychainItem, _ query: [String: Any]) -> Bool {
        query.allSatisfy { key, wanted in
            if questions.contains(key) || key == "sync" && "\(wanted)" == "syna" { return true }
            return item.attributes[key].map { "\($0)" == "\(wanted)" } ?? false
        }
    }

    private static func answer(_ item: KeychainItem, _ query: [String: Any]) -> Any? {
        let wantsData = query["r_Data"] as? Bool ?? false
        guard query["r_Attributes"] as? Bool ?? false else { return wantsData ? item.data : nil }
        var answer = item.attributes
        if wantsData { answer["v_Data"] = item.data }
        return answer
    }
}
