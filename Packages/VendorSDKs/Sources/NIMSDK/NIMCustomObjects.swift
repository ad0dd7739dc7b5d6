import Foundation

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// What a custom message holds, as an app's class.
public protocol NIMCustomAttachment {
    func encode() -> String
}

/// Makes attachments from texts. It is never called: only texts travel here.
public protocol NIMCustomAttachmentCoding {
    func decodeAttachment(_ content: String?) -> (any NIMCustomAttachment)?
}

/// The object of a message beside its text.
public protocol NIMMessageObject {}

/// A message's own object. It stays on this device.
public final class NIMCustomObject: NSObject, NIMMessageObject, @unchecked Sendable {
    public var attachment: (any NIMCustomAttachment)?

    public override init() {}

    /// Custom messages cannot be received here, so that the decoder is never used.
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

/// Which server the SDK talks to; the simulated one, whatever is set.
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

/// Options of the newer registration. Both login interfaces can be used here, whatever is set.
public final class V2NIMSDKOption: NSObject, @unchecked Sendable {
    public var useV1Login = false
    public var enableV2CloudConversation = false

    public override init() {}
}

/// Is asked about notifications and tokens. Not simulated: never called.
public protocol NIMSDKConfigDelegate: AnyObject {
    func shouldIgnoreNotification(_ notification: NIMNotificationObject) -> Bool
}

extension NIMSDKConfigDelegate {
    public func shouldIgnoreNotification(_ notification: NIMNotificationObject) -> Bool { false }
}

/// A notification within a conversation. None comes here.
public final class NIMNotificationObject: NSObject, NIMMessageObject, @unchecked Sendable {}
