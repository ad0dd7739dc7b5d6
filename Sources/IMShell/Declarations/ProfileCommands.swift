import IMClient

/// The commands of an SDK, depending on its system's features.
package enum ProfileCommands {
    /// The commands that need one of several features.
    private static let needs: [(path: [String], features: ClientFeatures)] = [
        (["call"], [.localCalls]), (["change"], [.localCalls]), (["search"], [.localCalls]), (["read"], [.localCalls]),
        (["react"], [.localCalls]), (["friend"], [.localCalls]), (["block"], [.localCalls]), (["group"], [.localCalls]),
        (["autologin"], [.autologin, .forcedAutologin]), (["kick"], [.kick, .accountCalls]), (["resend"], [.resend]),
        (["send"], [.messages]), (["join"], [.channels]), (["leave"], [.channels]), (["attributes"], [.attributes]),
        (["subscribe"], [.presence]), (["unsubscribe"], [.presence]), (["act"], [.operations]),
        (["renew-token"], [.tokenRenewal]), (["sync"], [.tree]), (["on-disconnect"], [.tree]),
        (["go-offline"], [.tree]), (["go-online"], [.tree]),
    ]

    /// Commands that a tree does not use: it has no login (SYNC-1).
    private static let withoutTree = [["login"], ["logout"]]

    /// The commands that would end with "unsupported".
    package static func absent(in features: ClientFeatures) -> Set<[String]> {
        var absent = Set(needs.filter { features.isDisjoint(with: $0.features) }.map(\.path))
        if features.contains(.tree) { absent.formUnion(withoutTree) }
        return absent
    }
}
