import IMClient

/// The commands that a vendor's SDK supports. They depend on the features of the vendor's client.
package enum ProfileCommands {
    /// The commands that require a feature. Each command works if the client has at least one of its `features`.
    private static let requirements: [(path: [String], features: ClientFeatures)] = [
        (["call"], [.localCalls]), (["change"], [.localCalls]), (["search"], [.localCalls]), (["read"], [.localCalls]),
        (["react"], [.localCalls]), (["friend"], [.localCalls]), (["block"], [.localCalls]), (["group"], [.localCalls]),
        (["autologin"], [.autologin, .forcedAutologin]), (["kick"], [.kick, .accountCalls]), (["resend"], [.resend]),
        (["send"], [.messages]), (["join"], [.channels]), (["leave"], [.channels]), (["attributes"], [.attributes]),
        (["subscribe"], [.presence]), (["unsubscribe"], [.presence]), (["act"], [.operations]),
        (["renew-token"], [.tokenRenewal]), (["sync"], [.tree]), (["on-disconnect"], [.tree]),
        (["go-offline"], [.tree]), (["go-online"], [.tree]),
    ]

    /// The commands that a system with a tree does not support, because its users do not log in to the IM service
    /// (SYNC-1).
    private static let loginCommands = [["login"], ["logout"]]

    /// The paths of the commands that a client with these features rejects as unsupported.
    package static func absent(in features: ClientFeatures) -> Set<[String]> {
        var absent = Set(requirements.filter { features.isDisjoint(with: $0.features) }.map(\.path))
        if features.contains(.tree) { absent.formUnion(loginCommands) }
        return absent
    }
}
