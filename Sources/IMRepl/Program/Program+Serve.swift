import Foundation
import IMTransport
import IMWorld
import Recorder
import SansIO

// `imrepl serve`: a server for other shells, until it is interrupted.

extension Program {
    func serve(_ request: ServeRequest) async throws -> Outcome {
        try await onOwnThread {
            let output = Output(colour: Colours.areOn(request.settings.color))
            let plan = try WorldPlan(serving: request)
            let log = EventLog(dialect: plan.dialect)
            let screen = Shell.Screen(output: output)
            log.show = { screen.show($0, $1, $2) }
            let recording = try request.record.map { path in
                try RecordingFiles(dataFolder: request.settings.dataFolder).begin(plan, path: path)
            }
            let world = try plan.open(recording: recording, log: log) { output.error($0) }
            output.line("serving \(plan.dialect.profile) on \((world as? LiveWorld)?.url ?? ""); ^C ends it")
            let outcome = Signals.awaitEnd()
            let failure = try world.perform { $0.recordingFailure }
            do {
                try world.shutDown()
            } catch let error as WorldError {
                throw EntryError(message: error.description, outcome: .environment)
            }
            if let failure {
                throw EntryError(message: "the recording is not complete: \(failure)", outcome: .environment)
            }
            if let path = request.record { output.error("recorded \(path)") }
            return outcome
        }
    }
}

extension WorldPlan {
    /// The world of a server for other shells.
    fileprivate init(serving request: ServeRequest) throws {
        let settings = WorldSettings(
            profile: request.profile, world: .live, connect: nil, seed: 1, timeScale: nil, recording: .off,
            isStrict: false, epochNanoseconds: nil, readsRC: false, watchdog: nil,
            // The folder holds the server's key; clients, which would keep something there, are elsewhere.
            common: CommonSettings(color: request.settings.color, dataFolder: nil))
        try self.init(
            settings, head: ScriptMetadata(), defaultKind: .live, isScripted: false, title: "served to other shells")
        listening = Listening(
            host: request.host, port: request.port,
            tls: request.tls.map { TLSFiles(certificate: $0.certificate, key: $0.key) },
            key: try ServerKey.load(request.settings.dataFolder))
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
