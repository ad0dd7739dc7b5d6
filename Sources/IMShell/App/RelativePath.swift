/// A path that stays valid if both folders move together.
package enum RelativePath {
    /// The path from a folder to another file or folder; the absolute path if they share no folder of a user, such as
    /// `/home/alice`.
    ///
    /// - Parameters: absolute paths without symbolic links and without `..`.
    package static func from(_ folder: String, to target: String) -> String {
        let (start, end) = (folder.split(separator: "/"), target.split(separator: "/"))
        let shared = zip(start, end).prefix { $0 == $1 }.count
        guard shared >= 2 else { return target }
        return (Array(repeating: "..", count: start.count - shared) + end[shared...]).joined(separator: "/")
    }
}
