import Foundation

/// The programs under test. They were built together with the tests.
public enum Program {
    /// The path of the shell. `IMREPL_BINARY` sets another one.
    public static func imrepl() throws -> String {
        try path("imrepl", override: "IMREPL_BINARY")
    }

    /// The path of the search. `IMREPL_EXPLORE_BINARY` sets another one.
    public static func explore() throws -> String {
        try path("imrepl-explore", override: "IMREPL_EXPLORE_BINARY")
    }

    /// The path of a program of the package.
    ///
    /// - Parameter override: the environment variable that can contain another path.
    public static func path(_ name: String, override: String) throws -> String {
        let given = ProcessInfo.processInfo.environment[override]
        let candidates = given.map { [$0] } ?? beside.map { $0 + "/" + name }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw Absent(description: "there is no program to test at \(candidates.joined(separator: " or "))")
        }
        return found
    }

    public struct Absent: Error, CustomStringConvertible {
        public let description: String
    }

    /// The folders that can contain the test bundle. A bundle is a file on Linux and a folder on macOS.
    private static var beside: [String] {
        let bundles = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath) + [Bundle.main.bundlePath]
        var folders: [String] = []
        for bundle in bundles {
            var path = bundle
            for _ in 0..<4 where path != "/" {
                if !folders.contains(path) { folders.append(path) }
                path = (path as NSString).deletingLastPathComponent
            }
        }
        return folders
    }

    /// The exit status and the output of a program.
    public struct Result: Sendable {
        /// The exit code, or the sum of 128 and the signal's number.
        public var status: Int32
        public var outputBytes: Data
        public var errorBytes: Data

        public var output: String { String(decoding: outputBytes, as: UTF8.self) }
        public var errors: String { String(decoding: errorBytes, as: UTF8.self) }
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
        public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }
}

extension Sandbox {
    /// Runs the shell to its end.
    public func imrepl(
        _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
    ) throws -> Program.Result {
        try imrepl(arguments, input: input, environment: environment)
    }

    /// Runs the shell to its end.
    public func imrepl(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
    ) throws -> Program.Result {
        try run(try Program.imrepl(), arguments, input: input, environment: environment)
    }

    /// Runs the search to its end.
    public func explore(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Result {
        try explore(arguments, environment: environment)
    }

    /// Runs the search to its end.
    public func explore(_ arguments: [String], environment: [String: String] = [:]) throws -> Program.Result {
        try run(try Program.explore(), arguments, environment: environment)
    }

    /// Runs a program of the operating system to its end, in the sandbox.
    public func tool(_ arguments: String...) throws -> Program.Result {
        try run("/usr/bin/env", arguments)
    }

    /// Runs a program to its end, in the sandbox. Its input and outputs are files, so it never waits for the test.
    public func run(
        _ program: String, _ arguments: [String], input: Data = Data(), environment given: [String: String] = [:]
    ) throws -> Program.Result {
        let name = ".run-\(UUID().uuidString)"
        for (end, content) in [("in", input), ("out", Data()), ("err", Data())] { try write(content, "\(name).\(end)") }
        defer {
            for end in ["in", "out", "err"] { try? FileManager.default.removeItem(atPath: file("\(name).\(end)")) }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        process.environment = environment.merging(given) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file("\(name).in")))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: file("\(name).out")))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: file("\(name).err")))
        try process.run()
        guard process.endsInTime() else {
            throw Missing("the end of '\(([program] + arguments).joined(separator: " "))'")
        }
        return Program.Result(
            status: process.status, outputBytes: try data("\(name).out"), errorBytes: try data("\(name).err"))
    }
}

extension Process {
    /// Waits for the end of the process, and kills it after the time limit. Returns false if it was killed.
    func endsInTime() -> Bool {
        let identifier = processIdentifier
        let watchdog = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(watchdogSeconds)), execute: watchdog)
        waitUntilExit()
        watchdog.cancel()
        return terminationReason == .exit || terminationStatus != SIGKILL
    }

    /// The exit status as a shell reports it.
    var status: Int32 {
        switch terminationReason {
        case .exit: terminationStatus
        case .uncaughtSignal: 128 + terminationStatus
        @unknown default: -1
        }
    }
}
