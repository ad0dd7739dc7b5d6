import IMClient
import IMDebugger
import IMLive
import IMProfiles
import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO

/// Makes the checker of `check rules` for the system of a vendor.
package typealias RuleCheckers = @Sendable (any Dialect) -> any RuleChecker

/// The program's services for its shells: live worlds besides the simulated ones, and its folder of recordings.
struct ProgramHost: ShellHost {
    /// The server for other clients; nil for a world whose server only this shell uses.
    var listening: Listening?
    var checkers: RuleCheckers?

    func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)? { checkers?(dialect) }

    /// The server of `imrepl serve`.
    struct Listening: Sendable {
        var host: LiveHost
        var data: ServerData
    }

    func open(
        _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
        warn: @escaping @Sendable (String) -> Void
    ) throws -> any World {
        guard plan.kind == .live else {
            return try SimulationHost().open(plan, recording: recording, summarize: summarize, warn: warn)
        }
        let store: any ClientStore
        do {
            if let dataFolder = plan.settings.dataFolder {
                try Folder.make(dataFolder)
                store = try SQLiteClientStore(
                    path: dataFolder + "/clients.sqlite", progress: WorkProgress(WorkProgressBar().show))
            } else {
                store = MemoryClientStore()
            }
        } catch {
            throw ShellError(message: "\(error)", reason: .environment)
        }
        let data =
            try listening?.data ?? ServerData(folder: plan.settings.connect == nil ? plan.settings.dataFolder : nil)
        let live = try LiveWorld(
            plan.configuration, server: server(of: plan), timeScale: plan.timeScale,
            stopsBetweenCommands: plan.isScripted,
            trust: plan.settings.trustedCertificates.map { .file($0) } ?? .system,
            key: data.key, recording: recording, store: store, kept: data.store, summarize: summarize)
        try live.onLinkProblem { warn($0) }
        return live
    }

    func sessions(_ action: SessionsAction, in shell: Shell) throws {
        do {
            let listing = SessionListing(
                files: shell.files, printResult: shell.printResult, row: shell.output.rows,
                columns: shell.output.columns,
                inUse: shell.recordingPath)
            try listing.perform(action)
        } catch let error as ShellError {
            throw CommandFailure(error.message)
        }
    }

    private func server(of plan: WorldPlan) -> LiveWorld.Server {
        if let listening { return .hosted(listening.host) }
        return plan.settings.connect.map { .remote(url: ServerAddress.url($0, profile: plan.dialect.profile)) }
            ?? .embedded
    }
}
