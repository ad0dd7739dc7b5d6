import IMSession
import NIMSDK
import Recorder
import SimulatedApp
import Testing

/// A list of messages, with the assumption that messages to alice arrive in the order in which they were sent.
@MainActor
private final class Inbox: NIMChatManagerDelegate {
    private(set) var texts: [String] = []

    init(token: String) {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        NIMSDK.shared().chatManager.add(self)
        NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
    }

    nonisolated func onRecvMessages(_ messages: [NIMMessage]) {
        MainActor.assumeIsolated { texts += messages.compactMap(\.text) }
    }
}

/// Events around an app that are due at the same time can happen in a random order.
@MainActor
@Suite struct DueOrderTests {
    private let explorer = AppExplorer(
        "nim", launch: { Inbox(token: $0) }, taps: [:],
        shown: { _ in NIMSDK.shared().loginManager.isLogined() },
        check: { app, _ in app.texts == app.texts.sorted() ? nil : "messages in another order" })

    private func scenario(_ order: DueOrder) -> AppScenario {
        AppScenario(
            [
                .line("client new pad --platform ios"), .line("client new tab --platform ios"),
                .line("@pad login bob"), .line("@tab login carol"), .wait(5000),
                .line("@pad send alice first"), .line("@tab send alice second"),
            ], order: order)
    }

    @Test func aRandomOrderDependsOnTheSeed() async throws {
        var found: [UInt64] = []
        for seed in 1...UInt64(8) {
            #expect(try await explorer.play(scenario(.fixed), seed: seed).violations == [])
            let first = try await explorer.play(scenario(.drawn), seed: seed)
            let again = try await explorer.play(scenario(.drawn), seed: seed)
            #expect(first.session == again.session)
            #expect(first.chain == again.chain)
            let reader = try SessionReader(bytes: first.session)
            #expect(reader.header["order"] == "drawn")
            #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
            if first.violations.map(\.text) == ["messages in another order"] { found.append(seed) }
        }
        // Some of the seeds, but not all.
        #expect((1...7).contains(found.count), "\(found)")
    }

    @Test func aShortScenarioShowsWhetherItsOrderIsRandom() async throws {
        var seed: UInt64 = 1
        while try await explorer.play(scenario(.drawn), seed: seed).violations.isEmpty, seed < 8 { seed += 1 }
        let violation = try #require(await explorer.play(scenario(.drawn), seed: seed).violations.first)
        var long = scenario(.drawn)
        long.steps.insert(.networkSwitched, at: 5)
        let short = try await explorer.shrink(long, seed: seed, keeping: "\(violation.rule) \(violation.text)")
        #expect(short.order == .drawn)
        #expect(!short.steps.contains(.networkSwitched))
        #expect("\(short)".hasSuffix("\n], order: .drawn)"))

        // The order does not matter if only one node has due events.
        let alone = AppScenario([.wait(2000), .line("server kick alice")], order: .drawn)
        let other = AppExplorer(
            "nim", launch: { Inbox(token: $0) }, taps: [:], shown: { _ in true })
        let kept = try await other.play(alone, seed: 1).violations.first
        let kind = try #require(kept.map { "\($0.rule) \($0.text)" })
        #expect(try await other.shrink(alone, seed: 1, keeping: kind).order == .fixed)
    }
}
