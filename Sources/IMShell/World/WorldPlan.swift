import Foundation
import IMDebugger
import IMProfiles
import IMServer
import IMSession
import IMSimulation
import IMText
import Recorder

/// Everything that decides what world a shell plays in, once options, script head and defaults are settled.
package struct WorldPlan: Sendable {
    package var dialect: any Dialect
    package var kind: WorldKind
    /// Nil for an embedded server.
    package var connect: String?
    package var trustedCertificates: String?
    package var seed: UInt64
    package var order: DueOrder
    package var timeScale: Double
    package var isStrict: Bool
    package var epochNanoseconds: Int64
    /// The real time of the world; nil for a simulated world without a chosen start.
    package var wallClock: WallClock? {
        WallClock(kind, epochNanoseconds: epochNanoseconds, seed: seed, timeScale: timeScale)
    }
    /// Whether time stands still between the commands.
    package var isScripted: Bool
    package var dataFolder: String?
    /// What the session is about.
    package var title: String
    /// Whether others connect to the world's server, and it is not this shell's alone.
    package var isServed = false
    /// What becomes of the world when its recording cannot go on.
    package var whenUnrecorded = WhenUnrecorded.ends
    /// The event of a recording that the world goes on from; nil for one that begins.
    package var origin: ForkOrigin?
    /// Whether a script has the line `check rules`.
    package private(set) var checksRules = false
    /// Checks rules from the beginning on; nil where no script asks for it, or the program has no checkers.
    package private(set) var rules: (any RuleChecker)?

    package static let defaultProfile = "nim"

    /// - Parameters:
    ///   - head: what the script says about itself; the request wins over it.
    ///   - defaultKind: where neither asks for one.
    ///   - isScripted: a scenario with a script is the same every time; one typed at the prompt draws a seed.
    /// - Throws: ``ShellError``
    package init(
        _ request: WorldRequest, head: ScriptMetadata, defaultKind: WorldKind, isScripted: Bool, title: String
    ) throws {
        let name = request.profile ?? head.profile ?? Self.defaultProfile
        guard let dialect = Dialects.named(name) else { throw WorldPlan.unknown(profile: name) }
        self.dialect = dialect
        if let only = head.world, let asked = request.world, only != asked {
            throw ShellError(
                message: "this script can only run in the \(only.rawValue) world"
                    + (head.because.map { ": \($0)" } ?? ""), reason: .usage)
        }
        kind = request.world ?? head.world ?? defaultKind
        connect = request.connect
        trustedCertificates = request.trustedCertificates
        seed = request.seed ?? head.seed ?? (isScripted ? 1 : UInt64.random(in: 1...999_999))
        // Over real sockets the order is the network's own.
        order = kind == .simulated ? request.order ?? head.order ?? .fixed : .fixed
        timeScale = request.timeScale ?? head.timeScale ?? 1
        isStrict = request.isStrict || head.isStrict
        epochNanoseconds =
            request.epochNanoseconds
            ?? (kind == .simulated
                ? WorldConfiguration.simulatedEpoch(seed: seed) : Int64(Date().timeIntervalSince1970 * 1e6) * 1000)
        self.isScripted = isScripted
        dataFolder = request.dataFolder
        self.title = title
        checksRules = head.checksRules && kind == .simulated
    }

    /// The same with what the program has for `check rules`, where the script asks for it.
    func checkingRules(in host: any ShellHost) -> WorldPlan {
        guard checksRules else { return self }
        var plan = self
        plan.rules = host.ruleChecker(dialect)
        return plan
    }

    package static func unknown(profile: String) -> ShellError {
        let names = Dialects.all.map(\.profile)
        let hint = Suggestion.nearest(to: profile, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return ShellError(
            message: "there is no profile '\(profile)'\(hint) (\(names.joined(separator: ", ")))", reason: .usage)
    }

    package var configuration: WorldConfiguration {
        var serverPolicy: ServerPolicy? = connect == nil ? dialect.serverPolicy : nil
        serverPolicy?.makesAccounts = !isStrict
        // A server for playing: whoever names a user is that user.
        if isServed && !isStrict { serverPolicy?.admitsWithoutCredential = true }
        // Nobody else, a guest neither (SYNC-1).
        if isStrict { serverPolicy?.admitsWithoutCredential = false }
        var configuration = WorldConfiguration(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: serverPolicy, seed: seed,
            epochNanoseconds: epochNanoseconds, flushing: kind == .live ? .eachBatch : .beforeShown,
            // A token of an own making is worth nothing to somebody else's server.
            isOpen: !isStrict && connect == nil)
        configuration.order = order
        configuration.whenUnrecorded = whenUnrecorded
        return configuration
    }

    package var header: SessionHeader {
        SessionHeader(
            title: title, profile: dialect.profile, application: Version.application,
            // A simulated session is the same on every machine, so it names none.
            os: kind == .simulated ? "virtual" : ProcessInfo.processInfo.operatingSystemVersionString,
            parameters: SessionHeader.worldParameters(
                kind, seed: seed, timeScale: timeScale, isStrict: isStrict, order: order)
                + (origin?.parameters ?? []))
    }

    /// Opens the world, with a log that takes all that happens in it.
    ///
    /// - Parameter warn: gets what is wrong and does not keep the world from going on.
    /// - Throws: ``ShellError``
    package func open(
        in host: any ShellHost, recording: Recording?, log: EventLog, warn: @escaping @Sendable (String) -> Void
    ) throws -> any World {
        do {
            let world = try host.open(self, recording: recording, summarize: { log.tell($0) }, warn: warn)
            let isFork = origin != nil
            try world.perform { core in
                let show = log.show
                let rules = rules
                // What happened before the fork is known to whoever forks.
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
                        "warning: clients keep nothing from here on, so that their next app starts as a new one: "
                            + "\(failure); begin again with another folder (--data)")
                }
                core.onDataFailure = { warn("warning: \($0)") }
                core.onServerFailure = warn
                core.onShortage = warn
            }
            return world
        } catch let error as WorldError {
            throw ShellError(message: error.description, reason: .environment)
        }
    }
}
