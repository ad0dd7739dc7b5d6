import Foundation

/// All differences between the C libraries of Linux and Apple's systems that affect this program. No other file has
/// conditions on the operating system; a test checks this.
///
/// | name | Linux (glibc) | Linux (musl) | Apple's systems |
/// |---|---|---|---|
/// | stream sockets | a value of an enumeration | a number | a number |
/// | the limit of open files | a value of an enumeration | a number | a number |
/// | the handler of a `sigaction` | `__sigaction_handler` | `__sa_handler` | `__sigaction_u` |
/// | actions and attributes of `posix_spawn` | structures | structures | pointers, nil at first |
package enum SystemDifferences {
    #if canImport(Glibc)
        /// The type of a stream socket, as a parameter of `socket`.
        package static let streamSocket = Int32(SOCK_STREAM.rawValue)
        /// The limit of open files, as a parameter of `getrlimit` and `setrlimit`.
        package static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        package static let streamSocket = SOCK_STREAM
        package static let openFiles = RLIMIT_NOFILE
    #endif

    #if canImport(Darwin)
        package typealias SpawnActions = posix_spawn_file_actions_t?
        package typealias SpawnAttributes = posix_spawnattr_t?
        package static var spawnActions: SpawnActions { nil }
        package static var spawnAttributes: SpawnAttributes { nil }
    #else
        package typealias SpawnActions = posix_spawn_file_actions_t
        package typealias SpawnAttributes = posix_spawnattr_t
        /// The initial value for `posix_spawn_file_actions_init`.
        package static var spawnActions: SpawnActions { SpawnActions() }
        /// The initial value for `posix_spawnattr_init`.
        package static var spawnAttributes: SpawnAttributes { SpawnAttributes() }
    #endif

    /// True if the action is `SIG_IGN`, which ignores the signal.
    package static func ignoresSignal(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
            let handler = action.__sa_handler.sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
