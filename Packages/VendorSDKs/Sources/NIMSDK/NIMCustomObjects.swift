import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The content of a custom message: a class of the app's.
public protocol NIMCustomAttachment {
    func encode() -> String
}

/// Makes attachments from texts. It is never called: only texts are transmitted here.
public protocol NIMCustomAttachmentCoding {
    func decodeAttachment(_ content: String?) -> (any NIMCustomAttachment)?
}

/// The object of a message besides its text.
public protocol NIMMessageObject {}

/// A message's own object. It stays on this device.
public final class NIMCustomObject: NSObject, NIMMessageObject, @unchecked Sendable {
    public var attachment: (any NIMCustomAttachment)?

    public override init() {}

    /// Custom messages cannot be received here, so the decoder is never used.
    public static func registerCustomDecoder(_ decoder: any NIMCustomAttachmentCoding) {}
}

public final class NIMMessageSetting: NSObject, @unchecked Sendable {
    public var apnsEnabled = true
    public var apnsWithPrefix = true
    public var historyEnabled = true
    public var roamingEnabled = true
    public var syncEnabled = true
    public var shouldBeCounted = true
    public var persistEnable = true

    public override init() {}
}

/// The address of the server. Without effect: the SDK connects to the simulated one.
public final class NIMServerSetting: NSObject, @unchecked Sendable {
    public var httpsEnabled = true
    public var module: String?
    public var version = 0
    public var lbsAddress: String?
    public var linkAddress: String?
    public var nosLbsAddress: String?
    public var nosUploadAddress: String?
    public var nosUploadHost: String?
    public var nosDownloadAddress: String?

    public override init() {}
}

/// Options of the newer registration. Without effect: both login interfaces can be used here.
public final class V2NIMSDKOption: NSObject, @unchecked Sendable {
    public var useV1Login = false
    public var enableV2CloudConversation = false

    public override init() {}
}

/// Supplies notification settings and tokens. Not simulated: never called.
public protocol NIMSDKConfigDelegate: AnyObject {
    func shouldIgnoreNotification(_ notification: NIMNotificationObject) -> Bool
}

extension NIMSDKConfigDelegate {
    public func shouldIgnoreNotification(_ notification: NIMNotificationObject) -> Bool { false }
}

/// A notification within a conversation. None occurs here.
public final class NIMNotificationObject: NSObject, NIMMessageObject, @unchecked Sendable {}
