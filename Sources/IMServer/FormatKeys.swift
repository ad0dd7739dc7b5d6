// The names of commands and connections in a session file. `FormatKeys.swift` of IMClient explains such lists.

extension ServerCommand {
    enum CodingKeys: String, CodingKey {
        case addAccount, banAccount, deleteAccount, kick, listDevices, setPolicy, populate, passwordChanged,
            revokeTokens
        case setRefusal, putChange, populateData, setTreeRule, listTreeRules, shutDown
    }

    enum KickCodingKeys: String, CodingKey { case user, device }
    enum ListDevicesCodingKeys: String, CodingKey { case user }
    enum SetPolicyCodingKeys: String, CodingKey { case key, value }
    enum PopulateCodingKeys: String, CodingKey { case user, _1 }
    enum PasswordChangedCodingKeys: String, CodingKey { case user }
    enum RevokeTokensCodingKeys: String, CodingKey { case user }
    enum SetRefusalCodingKeys: String, CodingKey { case user, _1 }
    enum PutChangeCodingKeys: String, CodingKey { case user, _1 }
    enum PopulateDataCodingKeys: String, CodingKey { case user, _1 }
    enum SetTreeRuleCodingKeys: String, CodingKey { case path, _1 }
}

extension SyncAmount {
    enum CodingKeys: String, CodingKey { case phase, count }
}

extension MessageTimes {
    enum CodingKeys: String, CodingKey, CaseIterable { case latestMessage = "said", latestCutoff = "settled" }
}

extension Connection {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case stage, lastReceived = "lastHeard", treeWrites, treeWritesSince, treePages, treeRequest, holdsMessages
        case watching, replayed, isBroken
        case partialSnapshot = "settling"
        case reconciledRequest = "settled"
        case attributesRequest = "settledAttributes"
        case changeRequest = "changed"
        case renewalRequest = "renewed"
        case sentChecksum = "said"
        case receivedChecksum = "heard"
        case hasSynced
    }
}
