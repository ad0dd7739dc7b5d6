import Recorder

/// The difference between the machines that made a recording and those of this program, if their behaviour versions
/// differ. Such a recording can still be shown, stepped through and exported. The states that it shows are computed by
/// this program's machines.
public struct BehaviourDifference: Hashable, Sendable, CustomStringConvertible {
    /// The version in a redacted copy with generated data. Generated data depends on the names of users, and redaction
    /// replaces these, so the machines do not produce the recorded effects from such a copy.
    public static let noVersion: UInt32 = 0

    /// The version of the machines that made the recording; ``noVersion`` in a redacted copy with generated data.
    public let recorded: UInt32
    /// The version of this program's machines.
    public let current: UInt32
    /// The first event at which this program's machines behave differently; nil if there is none.
    public let divergence: Divergence?

    /// Nil if the versions are equal.
    ///
    /// - Parameter divergence: the result of replaying the recording with this program's machines.
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
    /// Compares this program's machines with those that made the recording, by replaying it. Nil if both have the same
    /// version.
    ///
    /// - Throws: ``SessionError`` if the file is damaged.
    public func behaviourDifference() throws(SessionError) -> BehaviourDifference? {
        guard header.behaviourVersion != IMSessionSchema().behaviourVersion else { return nil }
        switch try Verifier.verify(self, schema: IMSessionSchema(), behaviour: .any) {
        case .verified: return BehaviourDifference(self, divergence: nil)
        case .diverged(let divergence): return BehaviourDifference(self, divergence: divergence)
        }
    }
}
