import Foundation
import IMClient
import IMProfiles
import IMProtocol

/// The error of a call.
public final class AgoraRtmErrorInfo: NSError, @unchecked Sendable {
    public let errorCode: AgoraRtmErrorCode
    /// The name of the call.
    public let operation: String
    /// The vendor's name of the code.
    public let reason: String

    init(_ code: AgoraRtmErrorCode, _ operation: String) {
        let word = "\(code)"
        errorCode = code
        self.operation = operation
        reason = "AgoraRtmError" + word.prefix(1).uppercased() + word.dropFirst()
        super.init(domain: "AgoraRtmErrorDomain", code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    /// Nil for success.
    convenience init?(_ status: Status, of call: CallKind, _ operation: String, _ dialect: any Dialect) {
        let number = dialect.code(for: status, of: call).number
        guard number != AgoraRtmErrorCode.ok.rawValue else { return nil }
        self.init(AgoraRtmErrorCode(rawValue: number) ?? .loginAborted, operation)
    }

    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }
}

/// The response of a call without a result.
public final class AgoraRtmCommonResponse: NSObject, @unchecked Sendable {}

/// The response, nil after a failure, and the error, nil after a success. Called once, later, on the main thread.
public typealias AgoraRtmOperationBlock = (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) -> Void
