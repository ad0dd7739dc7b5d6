import Foundation

/// The folders of the program's files.
package enum Folder {
    /// The folder of recordings: `sessions` in the folder of `--data` if it is given, otherwise `./sessions` if it
    /// exists, otherwise a folder in the user's data folder.
    static func recordings(_ dataFolder: String?) -> String {
        if let dataFolder { return dataFolder + "/sessions" }
        if exists("sessions") { return "sessions" }
        return xdg("XDG_DATA_HOME", ".local/share") + "/imrepl/sessions"
    }

    /// The session library that was installed with the program, next to its `bin` folder.
    package static var library: String {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath().path
        return parent(of: parent(of: program)) + "/share/imrepl/sessions"
    }

    /// The folder of the command history.
    package static var state: String { xdg("XDG_STATE_HOME", ".local/state") + "/imrepl" }

    /// The file with commands that run when the prompt starts. It need not exist.
    package static var rc: String { xdg("XDG_CONFIG_HOME", ".config") + "/imrepl/imreplrc" }

    private static func xdg(_ variable: String, _ fallback: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let value = environment[variable], value.hasPrefix("/") { return value }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/" + fallback
    }

    /// The folder part of a path; empty if the path has none. Foundation's function for this traps on paths with fewer
    /// than two characters.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// True if a path names a folder.
    package static func exists(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Creates a folder and the missing folders above it. Only the owner can read them.
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
