import SimulatedApp

extension LibraryScript {
    /// The result of a script.
    public struct Outcome: Sendable {
        /// The lines that went through the module.
        public var performed: [String]
        /// Where the events differ from the recording, as text; nil if they are the same to the end.
        public var difference: String?
    }

    /// Runs a line through the module, as code of the app on its main thread. It gets the words of the line without the
    /// client, and returns whether it ran the line; if not, the shell runs the line unchanged.
    public typealias Performer = @MainActor @Sendable (_ words: [String], _ app: ScriptApp) throws -> Bool

    /// Plays the script, and compares the events with the recording beside it.
    ///
    /// - Parameters:
    ///   - launch: builds the app's objects, in its process, at each launch.
    ///   - perform: runs lines through the module.
    /// - Throws: the line that could not be played, or whose expectation failed.
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

/// The app of the client that the module replaces in a script.
@MainActor
public final class ScriptApp {
    public let simulation: Simulation
    public let device: SimulatedDevice
    /// The result of `launch`; removed when the process ends.
    public var objects: [String: AnyObject] = [:]
    private var tokens: [String: String] = [:]
    /// The user who is logged in, according to the SDK.
    public var user: String? { device.client?.user }

    init(_ device: SimulatedDevice, in simulation: Simulation) {
        self.device = device
        self.simulation = simulation
    }

    /// The token of the user's logins. As in a script, it stays the same until it is revoked.
    public func token(for user: String) -> String {
        let name = simulation.world.core.vault.reference(for: user)
        if let known = tokens[name] { return known }
        let token = simulation.token(for: user)
        tokens[name] = token
        return token
    }
}

/// Plays the lines in order.
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
            // The script's own line creates the client with its options; the app runs on that client.
            try app.simulation.script(line.text)
            try start()
        case ["app", "kill"] where isOurs:
            app.objects = [:]
            try app.device.kill()
        case ["app", "start"] where isOurs: try start()
        // Expectations hold if the events are the same as in the recording.
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
