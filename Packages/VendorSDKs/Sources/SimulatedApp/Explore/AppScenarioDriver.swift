import IMSession
import SansIO

/// Draws a scenario from a seed: mostly taps and waits, with faults and other devices in between.
struct AppScenarioDriver {
    private var random: SeededRandom
    /// Mostly the drawn order, because no network promises one.
    private let order: DueOrder
    private let taps: [String]
    private let user: String
    /// True if the first login is interrupted: random waits seldom hit a window of some milliseconds.
    private let isInterrupted: Bool
    private var hasPad = false
    private var hasFriend = false
    private var lastMessage = 0

    /// What the vendor's apps meet besides: a limit of devices, and taps without a network.
    private let addition: Addition?

    private enum Addition { case deviceLimit, tapsOffline }

    init(seed: UInt64, taps: [String], user: String, profile: String = "nim") {
        // By default several devices may log in there, and a logout needs the server (CHAT-4, CHAT-11).
        let additions: [Addition?] = [nil, .deviceLimit, .tapsOffline, nil]
        addition = profile == "agora-chat" ? additions[Int(seed % 4)] : nil
        random = SeededRandom(seed: seed)
        // Uses its own random stream, so that this draw does not shift the others.
        var random = SeededRandom(seed: seed ^ 0x6F72_6465_72)
        order = random.below(4) == 0 ? .fixed : .drawn
        isInterrupted = seed % 4 == 3
        self.taps = taps
        self.user = user
    }

    mutating func scenario() -> AppScenario {
        var steps = isInterrupted ? interruptedLogin() : taps.first.map { [.tap($0)] } ?? []
        let count = 2 + Int(random.below(10))
        for _ in 0..<count {
            steps += next()
            steps.append(wait())
        }
        switch addition {
        case .deviceLimit:
            steps.insert(.line("server policy device-count-max=1"), at: 0)
            steps += otherDevice() + [.wait(2000)]
        case .tapsOffline where !taps.isEmpty:
            // The SDK detects one of them only from a missing answer: the app still shows its buttons.
            let isSilent = random.below(2) == 0
            steps += isSilent ? [.line("@phone net half-open")] : [.networkDown, .wait(2000)]
            steps += [.tap(pick(taps)), .wait(20_000), isSilent ? .line("@phone net clear") : .networkUp, wait()]
        default: break
        }
        return AppScenario(steps, order: order)
    }

    /// A scenario that begins as another one and continues in its own way.
    mutating func continuation(of parent: AppScenario) -> AppScenario {
        let kept = parent.steps.prefix(1 + Int(random.below(UInt64(max(1, parent.steps.count)))))
        hasPad = kept.contains(.line("client new pad --platform ios"))
        hasFriend = kept.contains(.line("client new friend --platform ios"))
        var steps = Array(kept)
        for _ in 0...random.below(4) {
            steps += next()
            steps.append(wait())
        }
        return AppScenario(steps, order: parent.order)
    }

    private mutating func next() -> [AppScenario.Step] {
        switch random.below(14) {
        case 0, 1, 2: return taps.isEmpty ? [] : [.tap(pick(taps))]
        case 3: return [.networkDown, wait(), .networkUp]
        case 4: return [.networkSwitched]
        case 5: return [.relaunch] + (taps.first.map { [.tap($0)] } ?? [])
        case 6: return otherDevice()
        case 7, 12, 13: return friend()
        case 8: return [.line("server kick \(user)")]
        case 9: return [.line("@phone net \(pick(Self.faults))")]
        case 10: return [.line("server restart")]
        default: return [.line("@phone net clear")]
        }
    }

    /// The first tap, and an event while its answer is delayed.
    private mutating func interruptedLogin() -> [AppScenario.Step] {
        let held = ["login-ack", "sync-done"][Int(random.below(2))]
        var steps: [AppScenario.Step] = [.line("@phone net hold \(held) --dir in --count 1")]
        steps += taps.first.map { [.tap($0)] } ?? []
        steps.append(.wait([0, 10, 100, 500][Int(random.below(4))]))
        switch random.below(6) {
        case 0: steps.append(.line("server kick \(user)"))
        case 1: steps += otherDevice()
        case 2: steps += [.networkDown, .wait(500), .networkUp]
        case 3: steps.append(.line("@phone net reset"))
        default: if !taps.isEmpty { steps.append(.tap(pick(taps))) }
        }
        return steps + [wait(), .line("@phone net release"), wait()]
    }

    private mutating func otherDevice() -> [AppScenario.Step] {
        let begin: [AppScenario.Step] = hasPad ? [] : [.line("client new pad --platform ios")]
        hasPad = true
        return begin + [.line(begin.isEmpty ? pick(["@pad login \(user)", "@pad logout"]) : "@pad login \(user)")]
    }

    /// Another user who sends messages, sometimes several in a row.
    private mutating func friend() -> [AppScenario.Step] {
        let begin: [AppScenario.Step] =
            hasFriend ? [] : [.line("client new friend --platform ios"), .line("@friend login bob"), .wait(1000)]
        hasFriend = true
        let messages = (0...random.below(3)).map { _ in
            lastMessage += 1
            return AppScenario.Step.line("@friend send \(user) hello-\(lastMessage)")
        }
        return begin + messages
    }

    private mutating func wait() -> AppScenario.Step {
        .wait([0, 10, 25, 50, 100, 500, 2000, 6000, 20_000, 70_000][Int(random.below(10))])
    }

    private mutating func pick(_ texts: [String]) -> String { texts[Int(random.below(UInt64(texts.count)))] }

    private static let faults = [
        "half-open", "reset", "delay 300ms", "loss 0.2", "hold login-ack --dir in --count 1",
        "drop login-ack --dir in --count 1", "hold sync-done --dir in --count 1", "drop sync-done --dir in --count 1",
        "hold kicked --dir in --count 1", "drop logout-ack --dir in --count 1", "release",
    ]
}
