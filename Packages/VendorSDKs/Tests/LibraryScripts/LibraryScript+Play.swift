import SimulatedApp

extension LibraryScript {
    /// How it went.
    public struct Outcome: Sendable {
        /// The lines that went through the module.
        public var performed: [String]
        /// Where it parts from the recording, in words; nil where it is the same to its end.
        public var difference: String?
    }

    /// What does a line through the module, as code of the app on its main thread. It gets the line's words without whom
    /// they are for, and says whether it did it: else the line is played as it stands.
    public typealias Performer = @MainActor @Sendable (_ words: [String], _ app: ScriptApp) throws -> Bool

    /// Plays the script, and compares what happened with the recording beside it.
    ///
    /// - Parameters:
    ///   - launch: builds the app's objects, in its process, each time that it starts.
    ///   - perform: does what goes through the module.
    /// - Throws: the line that could not be played, or whose expectation does not hold.
    @MainActor
    public func play(
        launch: @escaping @MainActor @Sendable (ScriptApp) throws -> Void = { _ in },
        _ perform: @escaping Performer
    ) async throws -> Outcome {
        var session: [UInt8] = []
        let title = name
        let performed = try await withSimulation(
            profile, seed: seed, title: title, report: { session = $0.session }
        ) { simulation in
            let player = Player(script: self, simulation: simulation, launch: launch, perform: perform)
            for line in lines {
                do {
                    try player.play(line)
                } catch {
                    throw ScriptError("\(title): \(line.text)\n\(error)")
                }
            }
            return player.performed
        }
        return Outcome(
            performed: performed,
            difference: ScriptEvents.difference(try ScriptEvents.words(of: session), try recorded())
        )
    }
}

/// The app that the module's client is in a script.
@MainActor
public final class ScriptApp {
    public let simulation: Simulation
    public let device: SimulatedDevice
    /// What `launch` built; gone with the process.
    public var objects: [String: AnyObject] = [:]
    private var tokens: [String: String] = [:]
    /// Who is logged in, as far as the SDK knows.
    public var user: String? { device.client?.user }

    init(_ device: SimulatedDevice, in simulation: Simulation) {
        self.device = device
        self.simulation = simulation
    }

    /// The token that the user logs in with: the same one each time, until it is revoked, as a script's.
    public func token(for user: String) -> String {
        let name = simulation.world.core.vault.reference(for: user)
        if let known = tokens[name] { return known }
        let token = simulation.token(for: user)
        tokens[name] = token
        return token
    }
}

/// Plays one line after the other.
@MainActor
private final class Player {
    private let script: LibraryScript
    private let app: ScriptApp
    private let launch: @MainActor @Sendable (ScriptApp) throws -> Void
    private let perform: LibraryScript.Performer
    private var current: String?
    private(set) var performed: [String] = []

    init(
        script: LibraryScript, simulation: Simulation,
        launch: @escaping @MainActor @Sendable (ScriptApp) throws -> Void,
        perform: @escaping LibraryScript.Performer
    ) {
        self.script = script
        app = ScriptApp(simulation.device(script.client), in: simulation)
        self.launch = launch
        self.perform = perform
    }

    func play(_ line: ScriptLine) throws {
        let isOurs = (line.client ?? current) == script.client
        switch line.words.prefix(3) {
        case ["client", "new", script.client]:
            // The script's own line makes it, with all that stands there; the app is that client's.
            try app.simulation.script(line.text)
            try start()
        case ["app", "kill"] where isOurs:
            app.objects = [:]
            try app.device.kill()
        case ["app", "start"] where isOurs: try start()
        // They hold where the same happens as in the recording.
        case ["check", "rules"]: break
        default:
            if isOurs, app.device.isRunning, !line.hasVariables, line.words.first != "expect",
                try app.device.perform({ try perform(line.words, app) })
            {
                performed.append(line.text)
            } else {
                try app.simulation.script(line.text)
            }
        }
        if line.words.first == "client", line.words.count > 2, line.words[1] != "close" { current = line.words[2] }
    }

    private func start() throws { try app.device.launch { try launch(app) } }
}
