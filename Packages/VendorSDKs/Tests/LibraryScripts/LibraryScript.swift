import Foundation
import IMSession
import Recorder
import SimulatedApp

/// A script of the session library that is played with one of its clients driven through a vendor's module. The events
/// must be the same as those in the recording beside the script.
///
/// ```swift
/// let script = try LibraryScript("nim/nim-09-steps-of-a-bad-network")
/// let outcome = try await script.play { words, device in
///         guard words == ["logout"] else { return false }       // the shell runs this line unchanged
///     NIMSDK.shared().loginManager.logout(nil)
///     return true
/// }
/// #expect(outcome.difference == nil)
/// ```
public struct LibraryScript: Sendable, CustomStringConvertible {
    /// The script, such as `nim/nim-01-steps-of-a-login`.
    public let name: String
    /// The client that the module replaces.
    public let client: String
    /// The profile of the script.
    public let profile: String
    let seed: UInt64?
    /// Whether the script runs only in a world in real time.
    let isLive: Bool
    let lines: [ScriptLine]

    /// - Parameters:
    ///   - name: the script's path in the library, without its extension.
    ///   - client: the client that the module replaces; nil for the phone, or the first client if there is no phone.
    /// - Throws: if there is no such script, or if it cannot be played.
    public init(_ name: String, of client: String? = nil) throws {
        let text = try String(contentsOf: Self.library.appendingPathComponent(name + ".imr"), encoding: .utf8)
        self.name = name
        func head(_ key: String) -> String? {
            text.split(separator: "\n").first { $0.hasPrefix("# \(key): ") }.map { String($0.dropFirst(key.count + 4)) }
        }
        guard let profile = head("profile") else { throw ScriptError("\(name) does not say its profile") }
        self.profile = profile
        seed = head("seed").flatMap(UInt64.init)
        isLive = head("world") == "live"
        lines = ScriptLine.lines(of: text)
        let clients = lines.compactMap { $0.words.starts(with: ["client", "new"]) ? $0.words.dropFirst(2).first : nil }
        guard let first = clients.first else { throw ScriptError("\(name) has no client") }
        self.client = client ?? (clients.contains("phone") ? "phone" : first)
        guard head("strict") != "true" else { throw ScriptError("\(name) makes no tokens; the module's would be made") }
    }

    /// All scripts of a system, sorted by name, each with one client: the phone, or else the first client.
    /// Scripts that only run in a live world are left out.
    public static func all(of profile: String) throws -> [LibraryScript] {
        let files = FileManager.default.enumerator(atPath: library.path)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".imr") }.sorted().compactMap { file in
            let script = try LibraryScript(String(file.dropLast(4)))
            return script.profile == profile && !script.isLive ? script : nil
        }
    }

    public var description: String { name }

    static let library = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../../sessions").standardizedFileURL

    /// The events of the recording beside the script, as text.
    func recorded() throws -> [String] {
        try ScriptEvents.words(of: Array(Data(contentsOf: Self.library.appendingPathComponent(name + ".pcapng"))))
    }
}

/// Why a script cannot be played.
public struct ScriptError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
