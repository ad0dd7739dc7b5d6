import Foundation
import IMProfiles
import IMProtocol

/// The error of a call. Like the vendor's, it is no Swift `Error`.
///
/// It lives on the job thread of virtual time, as all that is made here does, so it is Sendable.
public final class AgoraChatError: NSObject, @unchecked Sendable {
    public var code: AgoraChatErrorCode
    /// The vendor's name of the code.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public var errorDescription: String!

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public init(description aDescription: String!, code aCode: AgoraChatErrorCode) {
        errorDescription = aDescription
        code = aCode
    }

    public override var description: String { "\(errorDescription ?? "") (\(code.rawValue))" }

    /// The dialect's error for a code; nil for success.
    convenience init?(_ code: Code) {
        guard code.number != 0 else { return nil }
        self.init(description: code.name, code: AgoraChatErrorCode(rawValue: code.number) ?? .general)
    }

    /// An error that the module finds itself.
    convenience init(_ code: AgoraChatErrorCode) {
        let name = "\(code)"
        self.init(description: "AgoraChatError" + name.prefix(1).uppercased() + name.dropFirst(), code: code)
    }
}
