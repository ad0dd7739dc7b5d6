/// The schema of the records in a session file, `imsession/v1/record.proto`.
package enum RecordSchema {
    package static var text: String { String(decoding: PackageResources.record_proto, as: UTF8.self) }
}
