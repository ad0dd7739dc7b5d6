import Foundation
import IMProfiles
import IMProtocol

/// The vendor's error for the result of a call: nil for success, otherwise an `NSError` of one of the two domains.
func nimError(_ status: Status, of call: CallKind, _ dialect: any Dialect) -> NSError? {
    guard status != .ok, status != .stored else { return nil }
    let code = dialect.code(for: status, of: call)
    let domain = code.number >= 200 ? NIMRemoteErrorDomain : NIMLocalErrorDomain
    return NSError(domain: domain, code: code.number, userInfo: [NSLocalizedDescriptionKey: code.name])
}
