import Foundation

/// The differences between operating systems that only tests have to handle. `SystemDifferences` has those of the
/// program.
public enum TestSystem {
    /// True if the tools are those of Linux. On Apple's systems, `stty` and `script` have other options.
    public static var isLinux: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// The flag that makes `send` report a closed peer as an error instead of a signal; 0 if the system has no such
    /// flag.
    public static var sendFlags: Int32 {
        #if os(Linux)
            Int32(MSG_NOSIGNAL)
        #else
            0
        #endif
    }
}
