import Foundation
import IMProfiles
import IMProtocol

/// What a listener is told; the numbers are the vendor's.
public enum WDGDataEventType: Int, Sendable, CaseIterable {
    /// A child has come; first one for each that is there.
    case childAdded = 0
    /// A child is gone.
    case childRemoved = 1
    /// Something at or below a child has changed.
    case childChanged = 2
    /// A child has another place in the order.
    case childMoved = 3
    /// All that is there, first and whenever it has changed.
    case value = 4
}

/// Tells observers of a process apart.
public typealias WDGSyncHandle = Int64

/// The domain of all errors.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WDGSyncErrorDomain = "WDGSyncErrorDomain"

/// Codes of ``WDGSyncErrorDomain``, as the header names them.
public enum WDGSyncErrorCode: Int, Sendable, CaseIterable {
    case operationFailed = 26001
    case serverBusy = 26002
    case serviceUnavailable = 26003
    case permissionDenied = 26101
    case quotaLimitExceeded = 26102
    case qpsSpeedLimitExceeded = 26103
    case dataRequestedLimitExceeded = 26104
    case leafNodeSizeLimitExceeded = 26105
    case invalidParameters = 26106
    case transactionDataStale = 26201
    case userCodeException = 26202
    case transactionMaxRetries = 26203
    case transactionOverridden = 26204
    case nonExistentNode = 26301
    case unknown = 29999
}

extension Dialect {
    /// How a call ended, as the vendor says it; nil for success.
    func syncError(_ status: Status, of call: CallKind = .tree) -> NSError? {
        guard status != .ok, status != .stored else { return nil }
        let code = code(for: status, of: call)
        return NSError(
            domain: WDGSyncErrorDomain, code: code.number, userInfo: [NSLocalizedDescriptionKey: code.name])
    }
}
