import IMProfiles
import Recorder

extension SessionHeader {
    /// The system of the recording.
    ///
    /// - Throws: ``UnknownProfile`` for one that this version has not.
    public func dialect() throws(UnknownProfile) -> any Dialect {
        guard let dialect = Dialects.named(profile) else { throw UnknownProfile(name: profile) }
        return dialect
    }
}

/// A recording of a system that this version has not.
public struct UnknownProfile: Error, Equatable, Sendable, CustomStringConvertible {
    /// The profile that its header names.
    public var name: String

    /// A line for a person.
    public var description: String { "this version does not speak the profile '\(name)'" }
}
