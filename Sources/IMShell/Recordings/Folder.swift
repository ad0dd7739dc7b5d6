import Foundation

/// The folders of the program's files.
package enum Folder {
    /// The folder of recordings: the given one, otherwise `./sessions` if it exists, otherwise the user's data folder.
    static func recordings(_ given: String?) -> String {
        if let given { return given + "/sessions" }
        if exists("sessions") { return "sessions" }
        return xdg("XDG_DATA_HOME", ".local/share") + "/imrepl/sessions"
    }

    /// The session library that was installed with the program, next to its `bin` folder.
    package static var library: String {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath().path
        return parent(of: parent(of: program)) + "/share/imrepl/sessions"
    }

    /// The folder of the history.
    package static var state: String { xdg("XDG_STATE_HOME", ".local/state") + "/imrepl" }

    /// The file that the prompt reads first, if it exists.
    package static var rc: String { xdg("XDG_CONFIG_HOME", ".config") + "/imrepl/imreplrc" }

    private static func xdg(_ variable: String, _ fallback: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let value = environment[variable], value.hasPrefix("/") { return value }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/" + fallback
    }

    /// The folder of a path: empty if it names none. Foundation's own function traps on paths of less than two
    /// characters.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// True if a path names a folder.
    package static func exists(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Makes a folder that only its owner can read, and the folders above it.
    package static func make(_ path: String) throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part + "/"
            guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            throw failure(path, errno)
        }
        guard exists(path) else { throw failure(path, ENOTDIR) }
    }

    private static func failure(_ path: String, _ code: Int32) -> ShellError {
        ShellError(
            message: "the folder '\(path)' cannot be created: \(String(cString: strerror(code))); "
                + "choose another with --data",
            reason: .environment)
    }
}
