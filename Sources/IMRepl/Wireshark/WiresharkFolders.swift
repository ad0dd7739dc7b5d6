import Foundation

/// Wireshark's folders for the user's files, as Wireshark reports them, or the usual defaults.
struct WiresharkFolders: Equatable, Sendable {
    /// Lua scripts of the user.
    var plugins: String
    /// The user's settings, `colorfilters` among them.
    var configuration: String
    /// The settings that apply if the user has none; nil if no Wireshark is installed.
    var globalConfiguration: String?

    /// Parses the answer of `tshark -G folders`; missing entries get the usual defaults.
    init(answer: String?, environment: [String: String]) {
        func set(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = set("HOME") ?? NSHomeDirectory()
        let reported = Self.table(answer ?? "")
        plugins = reported["Personal Lua Plugins"] ?? "\(home)/.local/lib/wireshark/plugins"
        configuration =
            reported["Personal configuration"] ?? set("WIRESHARK_CONFIG_DIR")
            ?? (set("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/wireshark"
        globalConfiguration = reported["Global configuration"]
    }

    /// Parses lines of the form `NAME:  PATH`.
    private static func table(_ answer: String) -> [String: String] {
        var table: [String: String] = [:]
        for line in answer.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let path = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if path.hasPrefix("/"), table[String(line[..<colon])] == nil { table[String(line[..<colon])] = path }
        }
        return table
    }
}

extension WiresharkFolders {
    /// Requests the folders from the installed Wireshark. A Wireshark that does not answer in time counts as missing.
    static func find(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> WiresharkFolders {
        let folders =
            (environment["PATH"] ?? "").split(separator: ":").map(String.init)
            + ["/Applications/Wireshark.app/Contents/MacOS"]
        let programs = ["tshark", "wireshark"].flatMap { name in folders.map { "\($0)/\(name)" } }
        let answer = programs.first { FileManager.default.isExecutableFile(atPath: $0) }.flatMap(answer)
        return WiresharkFolders(answer: answer, environment: environment)
    }

    private static let secondsMax = 5

    private static func answer(of program: String) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-G", "folders"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // Ends the read below if the program hangs.
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(secondsMax), execute: watchdog)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
