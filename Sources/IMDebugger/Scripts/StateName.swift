/// The states of a client, common to all profiles. Each dialect maps them to the vendor's names.
package enum StateName: String, CaseIterable, Sendable {
    case loggedOut = "logged-out"
    case connecting
    case syncing
    case online
    case reconnecting
    /// Logged in with local data, but not yet connected.
    case offline
    case kicked
    case tokenExpired = "token-expired"

    package static var allNames: [String] { allCases.map(\.rawValue) }
}
