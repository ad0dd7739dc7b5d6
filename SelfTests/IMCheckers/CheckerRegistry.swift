import IMProfiles

/// All checkers.
enum CheckerRegistry {
    /// The checkers that are created once for each client. They observe only the events of that client.
    static func clientCheckers(_ dialect: any Dialect) -> [any Checker] {
        let policy = dialect.clientPolicy
        var checkers: [any Checker] = [
            CommandChecker(policy), LinkChecker(policy), RetryChecker(policy), AttemptChecker(policy),
            HeartbeatChecker(policy), LocalDataChecker(policy), KickedChecker(), LoginCallChecker(policy),
            AgreementChecker(), StoredLoginChecker(policy),
        ]
        if policy.features.contains(.localCalls) { checkers.append(StoredDataChecker()) }
        if policy.features.contains(.tokenRenewal) { checkers.append(TokenChecker(policy)) }
        if policy.features.contains(.channels) { checkers.append(MemberChecker()) }
        if policy.features.contains(.resend) { checkers.append(FailedMessageChecker(policy)) }
        return checkers
    }

    /// The checkers that are created once for a world. They observe the events of the server and of all clients.
    static func worldCheckers(_ dialect: any Dialect) -> [any Checker] {
        let (client, server) = (dialect.clientPolicy, dialect.serverPolicy)
        var checkers: [any Checker] = [
            KickChecker(server), EndedLoginChecker(server), SlotLimitChecker(), LoginRateChecker(server),
            MessageChecker(client: client, server: server), CredentialUseChecker(server), IntentModel(server),
            ServerAgreement(),
        ]
        if server.hasUserData { checkers.append(GroupRightsChecker()) }
        if client.features.contains(.channels) { checkers.append(ChannelChecker(server)) }
        if client.features.contains(.operations) { checkers.append(OperationChecker()) }
        if client.features.contains(.tree) {
            checkers += [TreeLedger(), ExpressionChecker()]
            checkers.append(DisconnectChecker(breakWaitsForSilence: server.breakWaitsForSilence))
        }
        return checkers
    }
}
