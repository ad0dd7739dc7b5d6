import SansIO

/// The request of `imrepl load`.
struct LoadRequest: Equatable, Sendable {
    static let clientsMax = 10_000
    static let rateMax = 100_000
    static let secondsMax = 3600

    var url: String
    var profile: String
    var clients: Int
    /// Messages a second, of all clients together.
    var rate: Int
    /// The time for which messages are sent, in seconds.
    var seconds: Int
    /// The size of a message's text in bytes.
    var textBytes: Int
    var trustedCertificates: String?
    var asJSON: Bool
    var settings: CommonSettings
}
