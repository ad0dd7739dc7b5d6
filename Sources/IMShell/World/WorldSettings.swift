import IMSession

/// The chosen settings of a world; nil leaves a choice to the script's head, and then to the default.
package struct WorldSettings: Equatable, Sendable {
    package var profile: String?
    package var kind: WorldKind?
    /// The URL of a server; nil for one in this process.
    package var connect: String?
    /// A PEM file with the certificates that vouch for a `wss` server; nil for those that the system trusts.
    package var trustedCertificates: String?
    package var seed: UInt64?
    /// The order of events that are due at the same time.
    package var order: DueOrder?
    /// The speed of the live world's clock; 2 is twice as fast.
    package var timeScale: Double?
    /// True if no account and no token is made automatically.
    package var isStrict = false
    /// The wall clock at the session's start, in nanoseconds since 1970.
    package var epochNanoseconds: Int64?
    /// The folder of recordings and accounts; nil for the user's own folder.
    package var dataFolder: String?

    package init() {}
}
