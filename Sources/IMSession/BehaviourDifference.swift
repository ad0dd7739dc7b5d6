import Recorder

/// The difference between the machines of a recording and those of this version, if their behaviour versions differ.
/// Such a recording can still be shown, stepped through and exported; states are then those of this version's machines.
public struct BehaviourDifference: Hashable, Sendable, CustomStringConvertible {
    /// The version of a recording whose inputs were copied under pseudonyms, under which the machines behave
    /// differently: generated data depends on the names of users.
    public static let noVersion: UInt32 = 0

    /// The version of the machines that made the recording; ``noVersion`` for a copy under pseudonyms.
    public let recorded: UInt32
    /// The version of this program's machines.
    public let current: UInt32
    /// The first event at which this version behaves differently; nil if it behaves the same throughout.
    public let divergence: Divergence?

    /// - Parameter divergence: the result of replaying the recording with the machines of this version.
    /// - Returns: nil if the versions are equal.
    public init?(_ reader: SessionReader, divergence: Divergence?) {
        recorded = reader.header.behaviourVersion
        current = IMSessionSchema().behaviourVersion
        self.divergence = divergence
        guard recorded != current else { return nil }
    }

    /// One line for display.
    public var description: String {
        if recorded == Self.noVersion {
            return "a redacted copy of generated data, which cannot be verified"
        }
        let versions = "recorded with behaviour version \(recorded); version \(current) "
        guard let divergence else { return versions + "does the same" }
        return versions + "differs from event \(divergence.number) on"
    }
}

extension SessionReader {
    /// Compares the machines of this version with those that made the recording; nil if both have the same version.
    ///
    /// - Throws: ``SessionError`` for a damaged file.
    public func behaviourDifference() throws(SessionError) -> BehaviourDifference? {
        guard header.behaviourVersion != IMSessionSchema().behaviourVersion else { return nil }
        switch try Verifier.verify(self, schema: IMSessionSchema(), behaviour: .any) {
        case .verified: return BehaviourDifference(self, divergence: nil)
        case .diverged(let divergence): return BehaviourDifference(self, divergence: divergence)
        }
    }
}
