import Foundation

enum FileSize {
    /// The size of a file in bytes; nil if the file does not exist.
    static func of(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }
}
