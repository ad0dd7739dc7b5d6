import Foundation

// Files and images, which the vendor withdrew with 1.5.0. Not simulated: each call ends with `failure`, the session notes
// it, and no such message arrives.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

/// A message that refers to an uploaded file.
public final class AgoraRtmFileMessage: AgoraRtmMessage, @unchecked Sendable {
    /// In bytes.
    public let size: Int64 = 0
    public let mediaId: String
    public var thumbnail = Data()
    public var fileName = ""

    init(mediaId: String) {
        self.mediaId = mediaId
        super.init(text: "")
        type = .file
    }
}

/// A message that refers to an uploaded image.
public final class AgoraRtmImageMessage: AgoraRtmMessage, @unchecked Sendable {
    /// In bytes.
    public let size: Int64 = 0
    public let mediaId: String
    public var thumbnail = Data()
    public var fileName = ""
    /// In pixels, like the other lengths.
    public var width: Int32 = 0
    public var height: Int32 = 0
    public var thumbnailWidth: Int32 = 0
    public var thumbnailHeight: Int32 = 0

    init(mediaId: String) {
        self.mediaId = mediaId
        super.init(text: "")
        type = .image
    }
}

/// The progress of an upload or a download, in bytes.
public final class AgoraRtmMediaOperationProgress: NSObject, @unchecked Sendable {
    public let totalSize: Int64 = 0
    public let currentSize: Int64 = 0
}

public enum AgoraRtmUploadMediaErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case timeout = 3
    case sizeOverflow = 4
    case concurrencyLimitExceeded = 5
    case interrupted = 6
    case notInitialized = 101
    case notLoggedIn = 102
}

public enum AgoraRtmDownloadMediaErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case timeout = 3
    case notExist = 4
    case concurrencyLimitExceeded = 5
    case interrupted = 6
    case notInitialized = 101
    case notLoggedIn = 102
}

public enum AgoraRtmCancelMediaErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case notExist = 2
    case notInitialized = 101
    case notLoggedIn = 102
}

public typealias AgoraRtmUploadFileMediaBlock = (Int64, AgoraRtmFileMessage?, AgoraRtmUploadMediaErrorCode) -> Void
public typealias AgoraRtmUploadImageMediaBlock = (Int64, AgoraRtmImageMessage?, AgoraRtmUploadMediaErrorCode) -> Void
public typealias AgoraRtmDownloadMediaToMemoryBlock = (Int64, Data?, AgoraRtmDownloadMediaErrorCode) -> Void
public typealias AgoraRtmDownloadMediaToFileBlock = (Int64, AgoraRtmDownloadMediaErrorCode) -> Void
public typealias AgoraRtmCancelMediaBlock = (Int64, AgoraRtmCancelMediaErrorCode) -> Void

extension AgoraRtmKit {
    public func createFileMessage(
        byUploading filePath: String, withRequest requestId: UnsafeMutablePointer<Int64>,
        completion: AgoraRtmUploadFileMediaBlock? = nil
    ) {
        let id = refuse("createFileMessage", requestId)
        client.later { completion?(id, nil, .failure) }
    }

    public func createImageMessage(
        byUploading filePath: String, withRequest requestId: UnsafeMutablePointer<Int64>,
        completion: AgoraRtmUploadImageMediaBlock? = nil
    ) {
        let id = refuse("createImageMessage", requestId)
        client.later { completion?(id, nil, .failure) }
    }

    /// A message that refers to a file of an earlier upload. Sending it fails with `invalidMessage`.
    public func createFileMessage(byMediaId mediaId: String) -> AgoraRtmFileMessage? {
        AgoraRtmFileMessage(mediaId: mediaId)
    }

    /// A message that refers to an image of an earlier upload. Sending it fails with `invalidMessage`.
    public func createImageMessage(byMediaId mediaId: String) -> AgoraRtmImageMessage? {
        AgoraRtmImageMessage(mediaId: mediaId)
    }

    public func downloadMedia(
        toMemory mediaId: String, withRequest requestId: UnsafeMutablePointer<Int64>,
        completion: AgoraRtmDownloadMediaToMemoryBlock? = nil
    ) {
        let id = refuse("downloadMedia", requestId)
        client.later { completion?(id, nil, .failure) }
    }

    public func downloadMedia(
        _ mediaId: String, toFile filePath: String, withRequest requestId: UnsafeMutablePointer<Int64>,
        completion: AgoraRtmDownloadMediaToFileBlock? = nil
    ) {
        let id = refuse("downloadMedia", requestId)
        client.later { completion?(id, .failure) }
    }

    public func cancelMediaUpload(
        _ requestId: UnsafeMutablePointer<Int64>, completion: AgoraRtmCancelMediaBlock? = nil
    ) {
        let id = requestId.pointee
        client.later { completion?(id, .notExist) }
    }

    public func cancelMediaDownload(
        _ requestId: UnsafeMutablePointer<Int64>, completion: AgoraRtmCancelMediaBlock? = nil
    ) {
        let id = requestId.pointee
        client.later { completion?(id, .notExist) }
    }

    /// The number of the request, which the vendor's SDK stores at the pointer.
    private func refuse(_ call: String, _ requestId: UnsafeMutablePointer<Int64>) -> Int64 {
        client.note("\(call) is not simulated, and ends with an error")
        requestId.pointee = client.nextMediaRequest()
        return requestId.pointee
    }
}
