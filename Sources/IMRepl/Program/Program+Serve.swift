import Foundation
import IMDialects
import IMStore
import IMTransport
import IMWorld
import Recorder
import SansIO

// `imrepl serve`: a server for other shells, until it is interrupted.

extension Program {
    func serve(_ request: ServeRequest) async throws -> Outcome {
        try await onOwnThread {
            let name = request.profile ?? WorldPlan.defaultProfile
            guard let dialect = Dialects.named(name) else { throw WorldPlan.unknown(profile: name) }
            let output = Output(colour: Colours.areOn(request.settings.color))
            var policy = dialect.serverPolicy
            // A server for playing: whoever names a user is that user.
            policy.admitsWithoutCredential = true
            let key = try ServerKey.load(request.settings.dataFolder)
            let configuration = WorldConfiguration(
                profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: policy, seed: 1,
                epochNanoseconds: Int64(Date().timeIntervalSince1970 * 1e6) * 1000)
            let log = EventLog(dialect: dialect)
            let screen = Shell.Screen(output: output)
            log.show = { screen.show($0, $1) }
            let store: ClientStore
            do {
                store = try ClientStore()
            } catch {
                throw EntryError(message: "\(error)", outcome: .environment)
            }
            do {
                let world = try LiveWorld(
                    configuration,
                    server: .listening(
                        host: request.host, port: request.port,
                        tls: request.tls.map { TLSFiles(certificate: $0.certificate, key: $0.key) }),
                    timeScale: 1, standsStill: false, trust: .none, key: key, recording: nil, store: store,
                    narrate: { log.tell($0) })
                try world.perform { core in
                    for event in core.events { log.take(event) }
                    core.onEvent = { log.take($0) }
                }
                output.line("serving \(dialect.profile) on \(world.url); ^C ends it")
                let stopped = DispatchSemaphore(value: 0)
                Signals.onInterrupt { stopped.signal() }
                stopped.wait()
                try world.shutDown()
                return .interrupted
            } catch let error as WorldError {
                throw EntryError(message: error.description, outcome: .environment)
            }
        }
    }
}

/// The key that a server signs its tokens with; kept with its data, so that tokens outlive the process.
enum ServerKey {
    static func load(_ folder: String?) throws -> [UInt8] {
        guard let folder else { return JWTAuthority.makeKey() }
        try Folder.make(folder)
        let path = folder + "/signing-key"
        if let kept = FileManager.default.contents(atPath: path) {
            guard kept.count == JWTAuthority.keyBytes else {
                throw EntryError(
                    message: "'\(path)' is not a signing key; move it away to get a new one", outcome: .environment)
            }
            return Array(kept)
        }
        let key = JWTAuthority.makeKey()
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(key), attributes: [.posixPermissions: 0o600])
        else { throw EntryError(message: "'\(path)' cannot be written", outcome: .environment) }
        return key
    }
}
