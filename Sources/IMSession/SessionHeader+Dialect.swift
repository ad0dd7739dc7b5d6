import IMProfiles
import Recorder

extension SessionHeader {
    /// The dialect of the recording's profile.
    ///
    /// - Throws: ``UnknownProfile`` if this version of the program does not have the profile.
    public func dialect() throws(UnknownProfile) -> any Dialect {
        guard let dialect = Dialects.named(profile) else { throw UnknownProfile(name: profile) }
        return dialect
    }
}

/// The error for a recording with a profile that this version of the program does not have.
public struct UnknownProfile: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the profile in the recording's header.
    public var name: String

    /// One line for display.
    public var description: String { "this version does not know the profile '\(name)'" }
}
