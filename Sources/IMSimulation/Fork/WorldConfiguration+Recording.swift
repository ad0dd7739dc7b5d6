import IMProfiles
import IMSession
import Recorder
import SansIO

extension WorldConfiguration {
    /// The configuration of a simulated world that continues a recording, with its profile, seed, start time and order
    /// of events.
    ///
    /// - Throws: ``WorldError`` for a system that this version does not support.
    public init(continuing header: SessionHeader) throws(WorldError) {
        let dialect: any Dialect
        do { dialect = try header.dialect() } catch { throw WorldError("\(error)") }
        let isStrict = header["strict"] == "true"
        var serverPolicy = dialect.serverPolicy
        serverPolicy.makesAccounts = !isStrict
        if isStrict { serverPolicy.admitsWithoutCredential = false }
        self.init(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: serverPolicy,
            seed: header["seed"].flatMap { UInt64($0) } ?? 1, epochNanoseconds: header.epochNanoseconds)
        flushing = .whenFull
        isOpen = !isStrict
        order = header["order"].flatMap(DueOrder.init) ?? .fixed
        // No delay is simulated, because the recorded times already contain the delay of the real network.
        if header["world"] != WorldKind.simulated.rawValue { latency = .zero }
    }
}
