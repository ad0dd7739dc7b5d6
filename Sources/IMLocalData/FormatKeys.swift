// The names of parts of commands in a session file; see `FormatKeys.swift` of IMClient.

extension LocalRequest {
    enum CodingKeys: String, CodingKey { case call, arguments, deviceMilliseconds }
}

extension Population {
    enum CodingKeys: String, CodingKey {
        case seed, messages, conversations, groups, friends, days, endMilliseconds, hasFiles
    }
}
