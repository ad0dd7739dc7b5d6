import Foundation
import IMDebugger
import IMLive
import IMProfiles
import IMShell
import IMSimulation
import SansIO

/// The applications of a server for other shells: one world each, at one address.
struct ServedApplications {
    private let host: LiveHost
    private let data: ServerData
    private let worlds: [any World]
    /// The shells for an operator's commands, one for each application.
    let shells: [Shell]
    /// The profiles as text.
    let names: String
    let url: String

    /// - Throws: ``ShellError`` with the remedy.
    init(_ request: ServeRequest, output: any ShellOutput) throws {
        let profiles = try Self.profiles(request.profiles)
        if let rejectionReason = FileLimit.rejectionReason(to: request.connectionsMax) {
            output.error("warning: \(rejectionReason)")
        }
        names = profiles.joined(separator: ", ")
        host = try LiveHost()
        do {
            url = try host.listen(
                host: request.host, port: request.port,
                tls: request.tls.map { TLSFiles(certificate: $0.certificate, key: $0.key) },
                limits: ListenLimits(
                    connectionsMax: request.connectionsMax, connectionsPerAddressMax: request.connectionsPerAddressMax),
                sources: RequestSources(origins: request.allowedOrigins, hosts: request.allowedHosts)
            ) { output.error("warning: \($0); new connections wait") }
        } catch let error as WorldError {
            throw ShellError(message: error.description, reason: .environment)
        }
        data = try ServerData(folder: request.settings.dataFolder)
        var worlds: [any World] = []
        var shells: [Shell] = []
        for profile in profiles {
            let plan = try WorldPlan(serving: profile, request)
            // Keeps only a few events: the last command of the operator needs no more.
            let log = EventLog(dialect: plan.dialect, eventsKept: 256)
            let screen = Shell.Screen(output: output)
            screen.textBytesMax = Self.shownBytesMax
            // The events of several servers are shown in one list, so each event has the name of its application as its
            // node.
            let isAlone = profiles.count == 1
            log.show = { event, weight, words in
                var event = event
                if !isAlone { event.node = profile }
                screen.show(event, weight, words)
            }
            let recording = try request.record.map { path in
                try RecordingFiles(dataFolder: request.settings.dataFolder).begin(
                    plan, path: path, overwrites: request.overwritesRecord)
            }
            let path = recording?.path
            let program = ProgramHost(listening: ProgramHost.Listening(host: host, data: data))
            worlds.append(try plan.open(in: program, recording: recording, log: log) { output.error($0) })
            shells.append(
                Shell(
                    operating: worlds[worlds.count - 1], plan, log: log, view: screen, recordingPath: path,
                    output: output, host: program))
        }
        self.worlds = worlds
        self.shells = shells
        try host.acceptClients()
    }

    /// The maximum size of an event's text in bytes. A message to a thousand members is shown a thousand times.
    private static let shownBytesMax = 400

    /// The requested profiles, each once; they may be separated by commas.
    private static func profiles(_ requested: [String]) throws -> [String] {
        var profiles: [String] = []
        for name in requested.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
            guard Dialects.named(name) != nil else { throw WorldPlan.unknown(profile: name) }
            if !profiles.contains(name) { profiles.append(name) }
        }
        return profiles.isEmpty ? Dialects.all.map(\.profile) : profiles
    }

    /// Ends all worlds. The recording is complete afterwards.
    func shutDown() throws {
        do {
            var failure: (any Error)?
            for world in worlds {
                do { try world.shutDown() } catch { failure = failure ?? error }
            }
            try host.shutDown()
            data.close()
            if let failure { throw failure }
        } catch let error as WorldError {
            throw ShellError(message: error.description, reason: .environment)
        }
    }
}

extension WorldPlan {
    /// The world of an application that is served to other shells.
    fileprivate init(serving profile: String, _ request: ServeRequest) throws {
        // The world gets no data folder: the folder contains the data of the server, which ``ServerData`` opens. The
        // clients, which would store data in it, run in other processes.
        var settings = WorldSettings()
        settings.profile = profile
        settings.kind = .live
        settings.seed = 1
        settings.isStrict = request.isStrict
        try self.init(
            settings, head: ScriptMetadata(), defaultKind: .live, isScripted: false, title: "served to other shells")
        recordingFailurePolicy = request.continuesUnrecorded ? .continues : .stops
        isServed = true
    }
}

/// The URL of an application at a server's address.
enum ServerAddress {
    /// The URL with the profile as its path, which selects the application of a server with several. A URL that has a
    /// path is returned unchanged.
    static func url(_ url: String, profile: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let end = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) else {
            return "\(url)/\(profile)"
        }
        return rest[end...] == "/" ? url + profile : url
    }
}
