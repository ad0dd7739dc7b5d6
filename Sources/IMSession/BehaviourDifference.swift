import Recorder

/// How a recording of machines of another behaviour version compares with those of this one. It can be shown, walked
/// through and exported all the same; what machines are asked for is then what those of this version say.
public struct BehaviourDifference: Hashable, Sendable, CustomStringConvertible {
    /// Stands where what machines did was copied under pseudonyms, under which they do something else: data that is made
    /// up depends on the names of users.
    public static let noVersion: UInt32 = 0

    /// The version of the machines that it was recorded by; ``noVersion`` for a copy.
    public let recorded: UInt32
    /// The version of those that are here.
    public let current: UInt32
    /// Where these first do something else; nil where they do the same throughout.
    public let divergence: Divergence?

    /// - Parameter divergence: what came of playing the recording with the machines of this version.
    /// - Returns: nil where it was recorded by such.
    public init?(_ reader: SessionReader, divergence: Divergence?) {
        recorded = reader.header.behaviourVersion
        current = IMSessionSchema().behaviourVersion
        self.divergence = divergence
        guard recorded != current else { return nil }
    }

    /// One line for people.
    public var description: String {
        if recorded == Self.noVersion {
            return "a copy under pseudonyms, of data that is made up from names: there is nothing to prove about it"
        }
        let versions = "recorded by machines of behaviour version \(recorded); these, of version \(current), "
        guard let divergence else { return versions + "do the same" }
        return versions + "do something else from event \(divergence.number) on"
    }
}

extension SessionReader {
    /// How the machines of this version compare with those that it was recorded by; nil where they are of one version.
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
