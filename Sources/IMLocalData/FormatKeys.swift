// The coding keys that session files contain. A renamed property must keep its key; see `FormatKeys.swift` of IMClient.

extension LocalRequest {
    enum CodingKeys: String, CodingKey { case call, arguments, deviceMilliseconds }
}

extension Population {
    enum CodingKeys: String, CodingKey {
        case seed, messages, conversations, groups, friends, days, endMilliseconds, hasFiles
    }
}
