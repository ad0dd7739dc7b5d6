/// The schema of the frames, `im/v1/frame.proto`.
package enum ProtocolSchema {
    package static var text: String { String(decoding: PackageResources.frame_proto, as: UTF8.self) }
}
