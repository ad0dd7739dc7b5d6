import AppStandIns
import NIMSDK
import SimulatedApp
import Testing

private typealias Timer = SimulatedTimer

/// An object for one login of a user.
@MainActor
private final class Session: NIMLoginManagerDelegate {
    private var timer: Timer?
    private var me: Session?

    init(isTied: Bool) {
        NIMSDK.shared().loginManager.add(self)
        timer = Timer.scheduledTimer(withTimeInterval: 20, repeats: true) { _ in }
        // A retain cycle through a closure.
        if isTied { me = self }
    }

    func close(stops: Bool) {
        if stops { timer?.invalidate() }
    }
}

/// An app with an object for each login, which it releases at the logout, correctly or not.
@MainActor
private final class App {
    enum Mistake { case none, circle, timer, removal, completion }

    private(set) var session: Session?
    private var old: [Session] = []
    let mistake: Mistake
    let token: String

    init(_ mistake: Mistake, token: String) {
        self.mistake = mistake
        self.token = token
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
    }

    func login() {
        NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
        session = Session(isTied: mistake == .circle)
        if mistake == .removal { session.map { old.append($0) } }
    }

    func logout(_ completion: @escaping @Sendable () -> Void = {}) {
        let isTwice = mistake == .completion
        session?.close(stops: mistake != .timer)
        session = nil
        NIMSDK.shared().loginManager.logout { _ in
            completion()
            if isTwice { completion() }
        }
    }
}

/// Objects and events that a login must not leave behind (C-4), and completions that are called once (C-1).
@MainActor
@Suite struct LeftBehindTests {
    private func found(_ mistake: App.Mistake, logins: Int = 2, tells: Bool = true) async throws -> Set<String> {
        var found: [AppViolation] = []
        try await withSimulation("nim", report: { found = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let app = try phone.launch { App(mistake, token: token) }
            // The app object lives as long as its process.
            phone.shown = { MainActor.assumeIsolated { app.session != nil } }
            for _ in 0..<logins {
                try phone.perform { app.login() }
                await simulation.run(for: .seconds(5))
                if tells, let session = app.session { phone.mustBeGone(session, "the session") }
                try phone.perform { app.logout(phone.once("log out")) }
                await simulation.run(for: .seconds(40))
            }
        }
        return Set(found.map { "\($0.rule) \($0.text)" })
    }

    @Test func aCorrectLoginLeavesNothing() async throws { #expect(try await found(.none, logins: 6) == []) }

    @Test func aRetainCycleIsReported() async throws {
        let texts = try await found(.circle)
        #expect(texts.contains("C-4 the session is kept alive, though the app has let go of it"))
        #expect(texts.contains("C-4 a delegate that an earlier login left behind is told still: Session"))
    }

    @Test func aDelegateThatIsNotRemovedIsReported() async throws {
        #expect(
            try await found(.removal, tells: false) == [
                "C-4 a delegate that an earlier login left behind is told still: Session"
            ])
        #expect(
            try await found(.removal, logins: 6, tells: false).contains {
                $0 == "C-4 delegates pile up: 6 of Session are told"
            })
    }

    @Test func aRunningTimerIsReported() async throws {
        let texts = try await found(.timer, logins: 1, tells: false)
        #expect(texts.count == 1)
        #expect(texts.first?.hasPrefix("C-4 a Timer (SimulatedAppTests/LeftBehindTests.swift:") == true)
        #expect(texts.first?.hasSuffix("waits still, and the login is over") == true)
    }

    @Test func anEndThatIsReportedTwiceIsFound() async throws {
        #expect(try await found(.completion, logins: 1) == ["C-1 the end of 'log out' was told 2 times"])
    }

    @Test func aSearchChecksAllOfThem() async throws {
        for (mistake, text) in [
            (App.Mistake.circle, "C-4 Session is kept alive"), (.timer, "waits still, and the login is over"),
            (.completion, "the end of 'log out' was told"),
        ] {
            let explorer = AppExplorer(
                "nim", launch: { App(mistake, token: $0) }, taps: ["log in": { if $0.session == nil { $0.login() } }],
                shown: { _ in NIMSDK.shared().loginManager.isLogined() }, calls: ["log out": { $0.logout($1) }],
                parts: { $0.session.map { [$0] } ?? [] })
            let failures = try await explorer.search(0..<10)
            #expect(failures.contains { "\($0.violation.rule) \($0.violation.text)".contains(text) }, "\(mistake)")
        }
    }

    @Test func objectsOfAKilledProcessAreNotLeaks() async throws {
        var found: [AppViolation] = []
        var kept: Session?
        try await withSimulation("nim", report: { found = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let app = try phone.launch { App(.none, token: token) }
            try phone.perform { app.login() }
            await simulation.run(for: .seconds(1))
            kept = app.session
            if let kept { phone.mustBeGone(kept, "a session") }
            try phone.kill()
        }
        #expect(kept != nil)
        #expect(found.isEmpty)
    }
}
