import Foundation
import IMDebugger
import IMProfiles
import IMServer
import IMSession
import IMSimulation
import IMText
import Recorder

/// All parameters of a shell's world, derived from the options, the head of the script and the defaults.
package struct WorldPlan: Sendable {
    package var dialect: any Dialect
    package var kind: WorldKind
    /// The settings from the options. Use only `connect`, `trustedCertificates`, `isStrict` and `dataFolder`; the other
    /// settings are merged with the script's head in the properties of this type.
    package let settings: WorldSettings
    package var seed: UInt64
    package var order: DueOrder
    package var timeScale: Double
    package var epochNanoseconds: Int64
    /// The wall clock of the world; nil for a simulated world whose start time was not chosen.
    package var wallClock: WallClock? {
        WallClock(kind, epochNanoseconds: epochNanoseconds, seed: seed, timeScale: timeScale)
    }
    /// True if a script plays in the world.
    package var isScripted: Bool
    /// The title of the session.
    package var title: String
    /// True if other processes can connect to the world's server.
    package var isServed = false
    /// What the world does if it can no longer write its recording.
    package var recordingFailurePolicy = RecordingFailurePolicy.ends
    /// The event of a recording from which the world continues; nil for a new world.
    package var origin: ForkOrigin?
    /// True if the script contains the line `check rules`.
    package private(set) var checksRules = false
    /// The checker that receives all events; nil if the script does not contain `check rules`, or the program has no
    /// checkers.
    package private(set) var rules: (any RuleChecker)?

    package static let defaultProfile = "nim"

    /// - Parameters:
    ///   - head: the head of the script. The settings override it.
    ///   - defaultKind: the kind of world if neither the settings nor the head set one.
    ///   - isScripted: true for a script. Its default seed is 1, so that every run is the same. At the prompt the
    ///     default seed is random.
    /// - Throws: ``ShellError``
    package init(
        _ settings: WorldSettings, head: ScriptMetadata, defaultKind: WorldKind, isScripted: Bool, title: String
    ) throws {
        let name = settings.profile ?? head.profile ?? Self.defaultProfile
        guard let dialect = Dialects.named(name) else { throw WorldPlan.unknown(profile: name) }
        self.dialect = dialect
        if let required = head.world, let requested = settings.kind, required != requested {
            throw ShellError(
                message: "this script can only run in the \(required.rawValue) world"
                    + (head.because.map { ": \($0)" } ?? ""), reason: .usage)
        }
        kind = settings.kind ?? head.world ?? defaultKind
        seed = settings.seed ?? head.seed ?? (isScripted ? 1 : UInt64.random(in: 1...999_999))
        // In the live world, real sockets decide the order of events.
        order = kind == .simulated ? settings.order ?? head.order ?? .fixed : .fixed
        timeScale = settings.timeScale ?? head.timeScale ?? 1
        var merged = settings
        merged.isStrict = settings.isStrict || head.isStrict
        self.settings = merged
        epochNanoseconds =
            settings.epochNanoseconds
            ?? (kind == .simulated
                ? WorldConfiguration.simulatedEpoch(seed: seed) : Int64(Date().timeIntervalSince1970 * 1e6) * 1000)
        self.isScripted = isScripted
        self.title = title
        checksRules = head.checksRules && kind == .simulated
    }

    /// The plan with the program's rule checker, if the script contains `check rules`.
    func checkingRules(in host: any ShellHost) -> WorldPlan {
        guard checksRules else { return self }
        var plan = self
        plan.rules = host.ruleChecker(dialect)
        return plan
    }

    /// Changes the plan to that of a new session with a dialect. The new session needs a new rule checker, because a
    /// checker compares all events that it has received.
    mutating func startNewSession(with dialect: any Dialect, in host: any ShellHost) {
        self.dialect = dialect
        origin = nil
        rules = checksRules ? host.ruleChecker(dialect) : nil
    }

    package static func unknown(profile: String) -> ShellError {
        let names = Dialects.all.map(\.profile)
        let hint = Suggestion.nearest(to: profile, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return ShellError(
            message: "there is no profile '\(profile)'\(hint) (\(names.joined(separator: ", ")))", reason: .usage)
    }

    package var configuration: WorldConfiguration {
        var serverPolicy: ServerPolicy? = settings.connect == nil ? dialect.serverPolicy : nil
        serverPolicy?.makesAccounts = !settings.isStrict
        // A server for other processes is for experiments, so users can log in without a credential.
        if isServed && !settings.isStrict { serverPolicy?.admitsWithoutCredential = true }
        // With `--strict`, every login requires a credential, even that of a guest (SYNC-1).
        if settings.isStrict { serverPolicy?.admitsWithoutCredential = false }
        var configuration = WorldConfiguration(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: serverPolicy, seed: seed,
            epochNanoseconds: epochNanoseconds)
        configuration.flushing = kind == .live ? .eachBatch : .beforeShown
        // If the server is in another process, this world cannot create accounts and tokens for it.
        configuration.isOpen = !settings.isStrict && settings.connect == nil
        configuration.order = order
        configuration.recordingFailurePolicy = recordingFailurePolicy
        return configuration
    }

    package var header: SessionHeader {
        SessionHeader(
            title: title, profile: dialect.profile, application: Version.application,
            // A simulated session must be the same on every machine, so it does not contain the name of the operating
            // system.
            os: kind == .simulated ? "virtual" : ProcessInfo.processInfo.operatingSystemVersionString,
            parameters: SessionHeader.worldParameters(
                kind, seed: seed, timeScale: timeScale, isStrict: settings.isStrict, order: order)
                + (origin?.parameters ?? []))
    }

    /// Opens the world. The log receives all events of the world.
    ///
    /// - Parameter warn: receives the texts of errors that do not stop the world.
    /// - Throws: ``ShellError``
    package func open(
        in host: any ShellHost, recording: Recording?, log: EventLog, warn: @escaping @Sendable (String) -> Void
    ) throws -> any World {
        do {
            let world = try host.open(self, recording: recording, summarize: { log.formatForRecording($0) }, warn: warn)
            let isFork = origin != nil
            try world.perform { core in
                let show = log.show
                let rules = rules
                // Events of the recording before the fork are not printed again.
                if isFork { log.show = nil }
                for event in core.events {
                    log.take(event)
                    rules?.observe(event, in: core)
                }
                log.show = show
                core.onEvent = { [unowned core] event in
                    log.take(event)
                    rules?.observe(event, in: core)
                }
                core.isShown = { log.isShown($0) }
                core.onStoreFailure = { failure in
                    warn(
                        "warning: clients cannot store data from now on, so their next app start is a first start: "
                            + "\(failure); restart with another folder (--data)")
                }
                core.onDataFailure = { warn("warning: \($0)") }
                core.onServerFailure = warn
                core.onDiskFull = warn
            }
            return world
        } catch let error as WorldError {
            throw ShellError(message: error.description, reason: .environment)
        }
    }
}
