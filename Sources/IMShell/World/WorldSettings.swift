import IMSession

/// The settings of a world from the command's options. If a setting is nil, the head of the script decides; if that has
/// no value either, the default applies.
package struct WorldSettings: Equatable, Sendable {
    package var profile: String?
    package var kind: WorldKind?
    /// The URL of a server in another process; nil for a server in this process.
    package var connect: String?
    /// A PEM file with the trusted certificates for a `wss` server; nil for the certificates that the operating system
    /// trusts.
    package var trustedCertificates: String?
    package var seed: UInt64?
    /// The order of timers and frames that are due at the same time.
    package var order: DueOrder?
    /// The speed of the live world's clock; 2 is twice as fast as real time.
    package var timeScale: Double?
    /// True if accounts, tokens and clients are not created automatically.
    package var isStrict = false
    /// The time of the wall clock at the start of the session, in nanoseconds since 1970.
    package var epochNanoseconds: Int64?
    /// The folder of recordings and accounts; nil for the user's data folder.
    package var dataFolder: String?

    package init() {}
}
