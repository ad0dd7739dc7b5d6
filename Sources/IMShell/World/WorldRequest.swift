import IMSession

/// The world that somebody asks for; nil leaves a choice to the script's head, and then to the default.
package struct WorldRequest: Sendable {
    package var profile: String?
    package var world: WorldKind?
    /// The URL of a server; nil for one in this process.
    package var connect: String?
    /// A PEM file with the certificates that vouch for a `wss` server; nil for those that the system trusts.
    package var trustedCertificates: String?
    package var seed: UInt64?
    /// In which order things happen that are due at the same moment.
    package var order: DueOrder?
    /// How many times as fast the live world's clock runs.
    package var timeScale: Double?
    /// Whether no account and no token is made by itself.
    package var isStrict = false
    /// The wall clock at the session's start, in nanoseconds since 1970.
    package var epochNanoseconds: Int64?
    /// Where recordings and accounts are kept; nil for the user's own folder.
    package var dataFolder: String?

    package init() {}
}
