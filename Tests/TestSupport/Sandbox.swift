import Foundation

/// A new folder for a test, with a home folder in it. It is removed when the last reference to it is released.
public final class Sandbox: Sendable {
    public let path: String

    public init() throws {
        path = NSTemporaryDirectory() + "imrepl-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path + "/home", withIntermediateDirectories: true)
    }

    deinit {
        // The folder may contain files that cannot be removed. They remain for the operating system to clean up.
        try? FileManager.default.removeItem(atPath: path)
    }

    public var home: String { path + "/home" }

    /// The environment variables of a program in the sandbox. They contain no settings of the user who runs the tests.
    public var environment: [String: String] {
        var values = [
            "PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin", "LC_ALL": "C.UTF-8", "HOME": home, "TMPDIR": path,
            "XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config",
            "XDG_CACHE_HOME": home + "/cache",
        ]
        // The Swift runtime may be in a folder of the toolchain.
        values["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        return values
    }

    /// The absolute path of a file in the sandbox.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    @discardableResult
    public func write(_ text: String, _ name: String) throws -> String {
        try write(Data(text.utf8), name)
    }

    @discardableResult
    public func write(_ data: Data, _ name: String) throws -> String {
        let folder = (file(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    public func data(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }

    /// The paths of all regular files below the sandbox, relative to it, sorted.
    public func files(below folder: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: file(folder)).sorted()
            .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
            .filter {
                let kind = try? FileManager.default.attributesOfItem(atPath: file($0))[.type] as? FileAttributeType
                return kind == .typeRegular
            }
    }

    /// The numbers of the events of a recording that match a filter. Tests use filters instead of numbers, because a
    /// change of a profile can change the numbers.
    public func events(where filter: String, in file: String) throws -> [Int] {
        try imrepl("show", file, "--filter", filter).lines.compactMap { line in
            Int(line.dropFirst().prefix { $0.isNumber })
        }
    }

    /// The number of the first event that matches a filter.
    public func event(where filter: String, in file: String) throws -> Int {
        guard let first = try events(where: filter, in: file).first else {
            throw NoSuchEvent(filter: filter, file: file)
        }
        return first
    }
}

/// No event of the recording matches the filter.
public struct NoSuchEvent: Error {
    public let filter: String
    public let file: String
}
