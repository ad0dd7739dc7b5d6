import Foundation
import NIMSDK
import SimulatedApp
import Testing

/// How often an event of the tests happened, in all processes.
private var noticeCount = 0

private final class Page: NSObject, SessionObserver, NIMLoginManagerDelegate {
    var states: [Bool] = []
    var steps: [NIMLoginStep] = []

    func sessionDidChange(_ isLoggedIn: Bool) {
        states.append(isLoggedIn)
        noticeCount += 1
    }
    func sessionName() -> String { "page" }
    func onLogin(_ step: NIMLoginStep) { steps.append(step) }
}

/// Files in the folder `App`, compiled without Objective-C.
@MainActor
@Suite struct AppFolderTests {
    @Test func optionalMethodsAndSelectorsWork() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let page = Page()
            let kit = try phone.launch { SessionKit.shared }
            try phone.perform {
                kit.add(page)
                kit.forward(to: page)
                kit.login(account: "alice", token: token)
            }
            await simulation.run(for: .seconds(10))
            #expect(page.states.last == true)
            #expect(page.steps.contains(.loginOK))
            #expect(kit.ticks == 1)
            try phone.background()
            await simulation.run(for: .seconds(1))
            #expect(kit.backgrounds == 1)
        }
    }

    @Test func aChainOfPublishersLogsIn() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let login = try phone.launch {
                NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
                return CombineLogin()
            }
            for _ in 0..<2 {
                try phone.perform { login.start("alice", token: token) }
                await simulation.run(for: .seconds(3))
                #expect(login.isLoggedIn)
            }
        }
    }

    @Test func eachProcessHasItsOwnSingletons() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let pad = simulation.device("pad", .macos)
            noticeCount = 7
            let first = try phone.launch { SessionKit.shared }
            let other = try pad.launch { SessionKit.shared }
            #expect(first !== other)
            try phone.perform {
                #expect(SessionKit.shared === first)
                SessionKit.launches += 10
            }
            try #expect(pad.perform { SessionKit.launches } == 1)
            try #expect(phone.perform { SessionKit.launches } == 11)
            try phone.kill()
            let second = try phone.launch { SessionKit.shared }
            #expect(first !== second)
            try #expect(phone.perform { SessionKit.launches } == 1)
            try #expect(pad.perform { SessionKit.shared } === other)
            // Variables of the tests themselves are shared by all processes.
            #expect(noticeCount == 7)
        }
    }

    @Test(arguments: 0..<3) func eachTestStartsWithNewSingletons(number: Int) async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            try #expect(phone.launch { (SessionKit.shared, SessionKit.launches).1 } == 1)
        }
    }
}
