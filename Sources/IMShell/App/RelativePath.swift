/// Relative paths. A relative path remains valid if both folders are moved together.
package enum RelativePath {
    /// The path from a folder to a file or another folder. If they do not have at least two parent folders in common,
    /// such as `/home/alice`, this is the absolute path.
    ///
    /// Both paths must be absolute, without symbolic links and without `..`.
    package static func from(_ folder: String, to target: String) -> String {
        let (start, end) = (folder.split(separator: "/"), target.split(separator: "/"))
        let shared = zip(start, end).prefix { $0 == $1 }.count
        guard shared >= 2 else { return target }
        return (Array(repeating: "..", count: start.count - shared) + end[shared...]).joined(separator: "/")
    }
}
