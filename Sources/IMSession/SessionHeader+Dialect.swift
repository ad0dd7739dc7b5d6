import IMProfiles
import Recorder

extension SessionHeader {
    /// The dialect of the recording's profile.
    ///
    /// - Throws: ``UnknownProfile`` if this version does not have the profile.
    public func dialect() throws(UnknownProfile) -> any Dialect {
        guard let dialect = Dialects.named(profile) else { throw UnknownProfile(name: profile) }
        return dialect
    }
}

/// A recording of a profile that this version does not have.
public struct UnknownProfile: Error, Equatable, Sendable, CustomStringConvertible {
    /// The profile that its header names.
    public var name: String

    /// One line for display.
    public var description: String { "this version does not know the profile '\(name)'" }
}
