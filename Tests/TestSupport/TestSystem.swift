import Foundation

/// The differences between the systems that only tests meet; those of the program are in `SystemDifferences`.
public enum TestSystem {
    /// True if the tools are Linux's: `stty` and `script` take other options on Apple's systems.
    public static var isLinux: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// The flags of a `send` that reports a closed peer as an error and not as a signal, where the system has such one.
    public static var sendFlags: Int32 {
        #if os(Linux)
            Int32(MSG_NOSIGNAL)
        #else
            0
        #endif
    }
}
