import SansIO

/// What `imrepl load` is asked for.
struct LoadRequest: Equatable, Sendable {
    static let clientsMax = 10_000
    static let rateMax = 100_000
    static let secondsMax = 3600

    var url: String
    var profile: String
    var clients: Int
    /// Messages a second, of all clients together.
    var rate: Int
    /// For how long messages are sent.
    var seconds: Int
    /// Of a message's text.
    var textBytes: Int
    var trustedCertificates: String?
    var asJSON: Bool
    var settings: CommonSettings
}
