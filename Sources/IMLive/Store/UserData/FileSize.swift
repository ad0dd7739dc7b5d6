import Foundation

enum FileSize {
    /// Bytes; nil for what is not there.
    static func of(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }
}
