import IMProtocol

/// What a client keeps when its process ends.
public struct LocalData: Hashable, Sendable, Codable {
    /// The user of the last successful login.
    public var lastUser: String?
    /// Names the credential of that login; the secret itself is the host's.
    public var credentialReference: String
    /// The number the server gave to that login.
    public var lastEpoch: LoginEpoch
    /// How the latest login ended.
    public var lastResult: Status?
    /// Whether an automatic login may be tried (NIM-3): a manual login has succeeded, and since then none has failed
    /// and no kick, ban or wrong password came.
    public var autologinAllowed: Bool

    public init(
        lastUser: String? = nil, credentialReference: String = "", lastEpoch: LoginEpoch = 0,
        lastResult: Status? = nil, autologinAllowed: Bool = false
    ) {
        self.lastUser = lastUser
        self.credentialReference = credentialReference
        self.lastEpoch = lastEpoch
        self.lastResult = lastResult
        self.autologinAllowed = autologinAllowed
    }
}
