import Foundation
import IMClient
import IMDialects
import IMLive
import IMScript
import IMServer
import IMSession
import IMSimulation
import IMStore
import Recorder
import SansIO

/// Everything that decides what world a shell plays in, once options, script head and defaults are settled.
struct WorldPlan: Sendable {
    var dialect: any Dialect
    var kind: WorldKind
    /// Nil for an embedded server.
    var connect: String?
    var trustedCertificates: String?
    var seed: UInt64
    var timeScale: Double
    var isStrict: Bool
    var epochNanoseconds: Int64
    /// Whether time stands still between the commands.
    var isScripted: Bool
    var dataFolder: String?
    /// What the session is about.
    var title: String
    /// Where others connect to; nil for a world whose server is this shell's alone.
    var listening: Listening?
    /// Whether the recording goes to the operating system before anybody sees what is in it.
    var flushesEachBatch = false
    /// What becomes of the world when its recording cannot go on.
    var whenUnrecorded = WhenUnrecorded.ends
    /// The event of a recording that the world goes on from; nil for one that begins.
    var origin: ForkOrigin?

    /// Of `imrepl serve`.
    struct Listening: Sendable {
        var host: LiveHost
        var data: ServerData
    }

    static let defaultProfile = "nim"

    /// - Parameters:
    ///   - head: what the script says about itself; options win over it.
    ///   - seedDefault: nil draws one.
    init(
        _ settings: WorldSettings, head: ScriptMetadata, defaultKind: WorldKind, isScripted: Bool, title: String
    ) throws {
        let name = settings.profile ?? head.profile ?? Self.defaultProfile
        guard let dialect = Dialects.named(name) else { throw WorldPlan.unknown(profile: name) }
        self.dialect = dialect
        if let only = head.world, let asked = settings.world, only != asked {
            throw EntryError(
                message: "this script can only run in the \(only.rawValue) world"
                    + (head.because.map { ": \($0)" } ?? ""), outcome: .usage)
        }
        kind = settings.world ?? head.world ?? defaultKind
        connect = settings.connect
        trustedCertificates = settings.trustedCertificates
        // A scenario with a script is the same every time; one typed at the prompt is a new one.
        seed = settings.seed ?? head.seed ?? (isScripted ? 1 : UInt64.random(in: 1...999_999))
        timeScale = settings.timeScale ?? head.timeScale ?? 1
        isStrict = settings.isStrict || head.isStrict
        epochNanoseconds =
            settings.epochNanoseconds
            ?? (kind == .simulated
                ? WorldConfiguration.simulatedEpoch(seed: seed) : Int64(Date().timeIntervalSince1970 * 1e6) * 1000)
        self.isScripted = isScripted
        dataFolder = settings.common.dataFolder
        self.title = title
    }

    static func unknown(profile: String) -> EntryError {
        let names = Dialects.all.map(\.profile)
        let hint = Suggestion.nearest(to: profile, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return EntryError(
            message: "there is no profile '\(profile)'\(hint) (\(names.joined(separator: ", ")))", outcome: .usage)
    }

    var configuration: WorldConfiguration {
        var serverPolicy: ServerPolicy? = connect == nil ? dialect.serverPolicy : nil
        serverPolicy?.makesAccounts = !isStrict
        // A server for playing: whoever names a user is that user.
        if listening != nil && !isStrict { serverPolicy?.admitsWithoutCredential = true }
        var configuration = WorldConfiguration(
            profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: serverPolicy, seed: seed,
            epochNanoseconds: epochNanoseconds, flushesEachBatch: kind == .live || flushesEachBatch,
            // A token of an own making is worth nothing to somebody else's server.
            isOpen: !isStrict && connect == nil)
        configuration.whenUnrecorded = whenUnrecorded
        return configuration
    }

    var header: SessionHeader {
        SessionHeader(
            title: title, profile: dialect.profile, application: Version.application,
            // A simulated session is the same on every machine, so it names none.
            os: kind == .simulated ? "virtual" : ProcessInfo.processInfo.operatingSystemVersionString,
            parameters: [
                ("world", kind.rawValue), ("seed", String(seed)), ("time-scale", "\(timeScale)"),
                ("strict", String(isStrict)),
            ] + (origin?.parameters ?? []))
    }

    private var server: LiveWorld.Server {
        if let listening { return .hosted(listening.host) }
        return connect.map { .remote(url: ServerAddress.url($0, profile: dialect.profile)) } ?? .embedded
    }

    /// Opens the world.
    ///
    /// - Parameter warn: gets what is wrong and does not keep the world from going on.
    func open(
        recording: Recording?, log: EventLog, warn: @escaping @Sendable (String) -> Void
    ) throws -> any World {
        let store: any ClientStore
        do {
            if let dataFolder, kind == .live {
                try Folder.make(dataFolder)
                store = try SQLiteClientStore(path: dataFolder + "/clients.sqlite")
            } else {
                store = MemoryClientStore()
            }
        } catch {
            throw EntryError(message: "\(error)", outcome: .environment)
        }
        if let dataFolder, kind == .simulated {
            warn(
                "note: the simulated world begins anew each time, and what its apps and its server keep ends with it; "
                    + "only recordings go to '\(dataFolder)' (--world live keeps the rest there too)")
        }
        let summarize: @Sendable (SessionEvent) -> String = { log.tell($0) }
        do {
            let world: any World
            switch kind {
            case .simulated:
                world =
                    try origin.map { try fork(from: $0, recording: recording, summarize: summarize) }
                    ?? SimulatedWorld(configuration, recording: recording, store: store, summarize: summarize)
            case .live:
                let data = try listening?.data ?? ServerData(folder: connect == nil ? dataFolder : nil)
                let live = try LiveWorld(
                    configuration, server: server, timeScale: timeScale, standsStill: isScripted,
                    trust: trustedCertificates.map { .file($0) } ?? .system,
                    key: data.key, recording: recording, store: store, kept: data.store, summarize: summarize)
                try live.onLinkProblem { warn($0) }
                world = live
            }
            let isFork = origin != nil
            try world.perform { core in
                let show = log.show
                // What happened before the fork is known to whoever forks.
                if isFork { log.show = nil }
                for event in core.events { log.take(event) }
                log.show = show
                core.onEvent = { log.take($0) }
                core.onStoreFailure = { failure in
                    warn(
                        "warning: clients keep nothing from here on, so that their next app starts as a new one: "
                            + "\(failure); begin again with another folder (--data)")
                }
                core.onServerFailure = warn
                core.onShortage = warn
            }
            return world
        } catch let error as WorldError {
            throw EntryError(message: error.description, outcome: .environment)
        }
    }

    private func fork(
        from origin: ForkOrigin, recording: Recording?, summarize: @escaping (SessionEvent) -> String
    ) throws -> SimulatedWorld {
        try Fork.world(
            from: origin.decoded, after: origin.number,
            configuration: WorldConfiguration(goingOnFrom: origin.decoded.header),
            recording: recording, summarize: summarize)
    }
}
