import IMClient
import IMDebugger
import IMProtocol
import IMSession
import IMSimulation
import SansIO

/// Hidden events that explain one line of the log.
struct Move: Hashable, Sendable {
    var events: [HiddenEvent]
    var cost: Double
    /// The lifetimes of the tokens of login calls.
    var tokenLives: [TokenLife] = []
    /// The change of the device's wall clock at the explained line; 0 for none.
    var clockSet: Milliseconds = 0

    struct TokenLife: Hashable, Sendable {
        var line: Int
        var life: Milliseconds

        /// The value of `life` for a token that was never valid.
        static let wrong: Milliseconds = 0
        /// The value of `life` for a login with a wrong App ID. The machines have no App ID, so they use a wrong token,
        /// which fails in the same way.
        static let wrongAppID: Milliseconds = -1

        /// The text for display: `the token of line 2 lives 300 s`
        func text(of login: String) -> String {
            switch life {
            case Self.wrongAppID: "the App ID at \(login) is wrong; the script has a wrong token instead"
            case Self.wrong: "the token of \(login) is wrong"
            case ..<1000: "the token of \(login) has ended before"
            default: "the token of \(login) lives \(life / 1000) s"
            }
        }

        /// The value of `line` for a login whose call is not in the log.
        static let hiddenLogin = -1
    }

    init(_ cost: Double, _ events: [HiddenEvent] = [], tokenLives: [TokenLife] = []) {
        self.events = events
        self.cost = cost
        self.tokenLives = tokenLives
    }
}

/// A chosen move, the index of the line that it explains, and the other moves that could explain the line.
struct Decision: Sendable {
    var line: Int
    var move: Move
    var otherMoves: [Move]
}

/// A possible explanation of a log: the app's calls at their times, and hidden events.
struct Candidate: Sendable {
    var decisions: [Decision] = []
    /// The settings that differ from those of the profile; nil if none differ.
    var numbers: ClientNumbers?

    var cost: Double { decisions.reduce(numbers == nil ? 0 : ClientNumbers.cost) { $0 + $1.move.cost } }

    /// True if the device's clock is set.
    var setsClock: Bool { decisions.contains { $0.move.clockSet != 0 } }

    /// The hidden events of all moves, in the order of their times.
    var events: [HiddenEvent] {
        let all = decisions.flatMap(\.move.events)
        return all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// The times of hidden login calls after the first line of the log.
    var hiddenLogins: [Milliseconds] {
        let all = decisions.filter { $0.line > 0 }.flatMap(\.move.events)
        return all.compactMap { event in
            guard case .call(let call) = event.action, ["login", "autologin"].contains(call.name) else { return nil }
            return call.fields.contains { $0.name == "offline" && $0.value == "true" } ? nil : event.time
        }.sorted()
    }

    func adding(_ decision: Decision) -> Candidate {
        var candidate = self
        candidate.decisions.append(decision)
        return candidate
    }

    /// The candidate with all events earlier by `shift`, but not before the start of the world.
    func moved(by shift: Milliseconds) -> Candidate {
        var candidate = self
        for decision in decisions.indices {
            for event in decisions[decision].move.events.indices {
                let time = decisions[decision].move.events[event].time
                candidate.decisions[decision].move.events[event].time = max(0, time - shift)
            }
        }
        return candidate
    }

    /// A hash of the hidden events. Two candidates with the same signature have the same simulation.
    var signature: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ text: String) { for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
        for event in events { mix("\(event.time)\(event.action);") }
        for life in decisions.flatMap(\.move.tokenLives) { mix("\(life.line):\(life.life)") }
        for decision in decisions where decision.move.clockSet != 0 {
            mix("\(decision.line)!\(decision.move.clockSet)")
        }
        return hash
    }

    /// The lines of the log. If the candidate sets the device's clock, their times are corrected for it.
    func lines(of app: ObservedApp) -> [AppLine] {
        let sets = decisions.filter { $0.move.clockSet != 0 }
        guard !sets.isEmpty else { return app.lines }
        return app.lines.enumerated().map { index, line in
            let shift = sets.filter { $0.line <= index }.reduce(0) { $0 + $1.move.clockSet }
            return line.moved(to: line.time - shift)
        }
    }

    /// All steps of the simulation, in order.
    func steps(_ app: ObservedApp) -> [CandidateStep] {
        let lines = lines(of: app)
        var steps: [(step: CandidateStep, rank: Int)] = []
        let phone = ObservedApp.client
        let events = events
        let lives = decisions.flatMap(\.move.tokenLives)
        let begin = app.begin
        func add(_ step: CandidateStep?, _ rank: Int) { if let step { steps.append((step, rank)) } }
        func addClient(_ name: String, _ platform: Platform, _ time: Milliseconds, _ rank: Int) {
            add(
                CandidateStep(
                    time, ScenarioStep(name, .addClient(platform, device: nil)),
                    "client new \(name) --platform \(platform.name)"), rank)
        }
        if let numbers, let policy = numbers.policy(of: app.profile) {
            for setting in numbers.server {
                add(HiddenEvent(begin, .policy(setting.key, setting.value)).step(app), 0)
            }
            let text = "client new \(phone) --platform \(app.platform.name)\(numbers.options)"
            add(CandidateStep(begin, client: phone, app.platform, policy, text), 0)
        } else {
            addClient(phone, app.platform, begin, 0)
        }
        if app.latency != 10 {
            let delay = NetAction.constantDelay(app.latency)
            add(CandidateStep(begin, ScenarioStep(phone, .net(delay)), "@\(phone) \(delay.command)"), 1)
        }
        var addedClients: [String] = []
        for event in events {
            if let client = event.client, !addedClients.contains(client.name) {
                addedClients.append(client.name)
                var time = event.time
                if case .write = event.action {
                    // The device must be connected before it writes.
                    time -= 600
                    let listen = AppCall("sync", [("verb", "on"), ("path", ".info/connected")])
                    add(listen.step(of: client.name, at: time), 3)
                }
                addClient(client.name, client.platform, time, 2)
            }
            if case .call(let call) = event.action, call.name == "login" {
                let life = lives.last { $0.line == Move.TokenLife.hiddenLogin }?.life
                add(call.step(of: phone, at: event.time, lifetime: life), 3)
            } else {
                add(event.step(app), 3)
            }
        }
        for (index, line) in lines.enumerated() {
            switch line.kind {
            case .start where index > 0 || app.lacksStart:
                let before = index > 0 ? lines[index - 1].time : begin
                let kill = max(before + min(20, (line.time - before) / 2), line.time - 1000)
                add(CandidateStep(kill, ScenarioStep(phone, .app(.kill)), "@\(phone) app kill"), 4)
                add(CandidateStep(line.time, ScenarioStep(phone, .app(.start)), "@\(phone) app start"), 5)
            case .life:
                let action = line.name == "background" ? AppAction.background : .foreground
                add(CandidateStep(line.time, ScenarioStep(phone, .app(action)), "@\(phone) app \(line.name)"), 6)
            case .call:
                let life = lives.last { $0.line == index }?.life
                add(AppCall(line).step(of: phone, at: line.time, lifetime: life), 6)
            case .start, .callback, .result: break
            }
        }
        return steps.enumerated().sorted {
            ($0.element.step.time, $0.element.rank, $0.offset) < ($1.element.step.time, $1.element.rank, $1.offset)
        }.map(\.element.step)
    }
}
