import Foundation
import TestSupport
import Testing

/// Scripts that several tests run.
enum Scenario {
    static let head = "#! imrepl script 1\n# profile: nim\n"

    /// Two devices of one account exclude each other, and the first device is kicked.
    static let kick =
        head + """
            client new phone --platform ios
            client new pad --platform ios
            @phone login alice
            @phone expect state online within 5s
            @pad login alice
            @pad expect state online within 5s
            @phone expect callback onKick within 5s
            @phone expect state kicked

            """

    static let login = head + "client new phone --platform ios\nlogin alice\nexpect state online within 5s\n"
}

extension Sandbox {
    /// Runs ``Scenario/kick`` in the simulated world and records it.
    @discardableResult
    func recordKick(_ name: String = "kick.pcapng", _ options: [String] = []) throws -> String {
        try write(Scenario.kick, "kick.imr")
        let result = try imrepl(["run", "kick.imr", "--world", "simulated", "--record", name] + options)
        try #require(result.status == 0, "\(result.errors)")
        return file(name)
    }

    /// The recordings in the default folder.
    func recordings() throws -> [String] { try files().filter { $0.hasSuffix(".pcapng") } }
}
