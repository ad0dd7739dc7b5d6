import Foundation
import IMProfiles
import IMProtocol

/// The kind of a listener's event; the numbers are the vendor's.
public enum WDGDataEventType: Int, Sendable, CaseIterable {
    /// A child was added; first called for each existing child.
    case childAdded = 0
    /// A child was removed.
    case childRemoved = 1
    /// Something at or below a child has changed.
    case childChanged = 2
    /// A child has moved in the order.
    case childMoved = 3
    /// The whole value, first and after every change.
    case value = 4
}

/// Identifies an observer within a process.
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
    /// The vendor's error for the result of a call; nil for success.
    func syncError(_ status: Status, of call: CallKind = .tree) -> NSError? {
        guard status != .ok, status != .stored else { return nil }
        let code = code(for: status, of: call)
        return NSError(
            domain: WDGSyncErrorDomain, code: code.number, userInfo: [NSLocalizedDescriptionKey: code.name])
    }
}
