import IMSession
import SansIO
import Testing

@Suite struct LinkConditionsTests {
    private let quick = FrameVerdict.deliver(after: .milliseconds(10))

    private func make(seed: UInt64 = 7) -> LinkConditions {
        LinkConditions(seed: seed, latency: .milliseconds(10))
    }

    private func verdicts(_ conditions: inout LinkConditions, _ names: String...) -> [FrameVerdict] {
        names.map { conditions.verdict(frame: $0, direction: .toServer) }
    }

    @Test func withoutFaultsEverythingTakesTheLatency() {
        var conditions = make()
        #expect(verdicts(&conditions, "login", "login-ack") == [quick, quick])
        #expect(conditions.connectVerdict() == .proceed(there: .milliseconds(10), back: .milliseconds(10)))
        #expect(conditions.closeDelay(direction: .toClient) == .milliseconds(10))
    }

    @Test func theSameSeedGivesTheSameVerdicts() {
        func run(seed: UInt64) -> [FrameVerdict] {
            var conditions = make(seed: seed)
            conditions.loss = 300_000
            conditions.jitter = .milliseconds(50)
            return (0..<200).map { conditions.verdict(frame: "\($0)", direction: $0 % 3 == 0 ? .toClient : .toServer) }
        }
        #expect(run(seed: 1) == run(seed: 1))
        #expect(run(seed: 1) != run(seed: 2))
        let lost = run(seed: 1).count { $0 == .drop }
        #expect((30...90).contains(lost))
    }

    @Test func jitterOrRulesDoNotChangeWhichFramesAreLost() {
        func lost(_ change: (inout LinkConditions) -> Void) -> [Bool] {
            var conditions = make()
            conditions.loss = 500_000
            change(&conditions)
            return (0..<100).map { index in
                // The other direction and connection attempts use separate random numbers.
                if index % 5 == 0 { _ = conditions.connectVerdict() }
                return conditions.verdict(frame: "f\(index)", direction: .toServer) == .drop
            }
        }
        let plain = lost { _ in }
        #expect(plain.contains(true) && plain.contains(false))
        #expect(lost { $0.jitter = .seconds(1) } == plain)
        #expect(lost { $0.add(FrameRule(.duplicate, frame: "*")) } == plain)
        #expect(lost { for _ in 0..<10 { _ = $0.verdict(frame: "x", direction: .toClient) } } == plain)
    }

    @Test func jitterAddsToTheDelay() {
        var conditions = make()
        conditions.delay = .milliseconds(100)
        conditions.jitter = .milliseconds(20)
        for _ in 0..<100 {
            guard case .deliver(let after) = conditions.verdict(frame: "x", direction: .toServer) else {
                Issue.record("lost")
                return
            }
            #expect(after >= .milliseconds(100) && after <= .milliseconds(120))
        }
    }

    @Test func lossOf100PercentAndOf0() {
        var conditions = make()
        conditions.loss = LinkConditions.certain
        #expect(verdicts(&conditions, "a", "b") == [.drop, .drop])
        conditions.loss = 0
        #expect(verdicts(&conditions, "a", "b") == [quick, quick])
    }

    @Test func aRuleCountsItsFrames() {
        var conditions = make()
        conditions.add(FrameRule(.drop, frame: "login-ack", count: 2))
        let seen = verdicts(&conditions, "login-ack", "beat", "login-ack", "login-ack")
        #expect(seen == [.drop, quick, .drop, quick])
        #expect(conditions.rules.isEmpty)
    }

    @Test func aRuleWithoutACountIsPermanent() {
        var conditions = make()
        conditions.add(FrameRule(.hold, frame: "*"))
        #expect(verdicts(&conditions, "a", "b", "c") == [.hold, .hold, .hold])
        #expect(conditions.rules.count == 1)
    }

    @Test func aRuleForNoFramesNeverApplies() {
        var conditions = make()
        conditions.add(FrameRule(.drop, frame: "*", count: 0))
        #expect(verdicts(&conditions, "a") == [quick])
    }

    @Test func aRuleAppliesToItsDirectionOnly() {
        var conditions = make()
        conditions.add(FrameRule(.drop, frame: "beat", direction: .toClient))
        #expect(conditions.verdict(frame: "beat", direction: .toServer) == quick)
        #expect(conditions.verdict(frame: "beat", direction: .toClient) == .drop)
    }

    @Test func theOlderRuleDecides() {
        var conditions = make()
        conditions.add(FrameRule(.duplicate, frame: "beat", count: 1))
        conditions.add(FrameRule(.drop, frame: "*"))
        let seen = verdicts(&conditions, "other", "beat", "beat")
        #expect(seen == [.drop, .deliverTwice(after: .milliseconds(10)), .drop])
    }

    @Test func withoutANetworkNothingGetsThroughAndRulesKeepTheirCount() {
        var conditions = make()
        conditions.add(FrameRule(.duplicate, frame: "*", count: 1))
        conditions.down()
        #expect(verdicts(&conditions, "a") == [.drop])
        #expect(conditions.connectVerdict() == .fail)
        #expect(conditions.closeDelay(direction: .toServer) == nil)
        conditions.halfOpen()
        #expect(!conditions.isHalfOpen, "what is down cannot be half-open")
        conditions.up()
        #expect(verdicts(&conditions, "a") == [.deliverTwice(after: .milliseconds(10))])
    }

    @Test func halfOpenLosesEverythingUntilUp() {
        var conditions = make()
        conditions.halfOpen()
        #expect(verdicts(&conditions, "a") == [.drop])
        #expect(conditions.connectVerdict() == .hang)
        conditions.up()
        #expect(verdicts(&conditions, "a") == [quick])
    }

    @Test func clearRestoresTheInitialState() {
        var conditions = make()
        conditions.delay = .seconds(3)
        conditions.jitter = .seconds(1)
        conditions.loss = 900_000
        conditions.add(FrameRule(.drop, frame: "*"))
        conditions.halfOpen()
        conditions.down()
        conditions.clear()
        #expect(conditions == make())
    }

    @Test func absurdValuesDoNotTrap() {
        var conditions = make()
        conditions.delay = Interval(nanoseconds: .max)
        conditions.jitter = Interval(nanoseconds: .max)
        conditions.loss = .max
        #expect(verdicts(&conditions, "a") == [.drop])
        conditions.loss = 0
        #expect(verdicts(&conditions, "a") == [.deliver(after: Interval(nanoseconds: .max))])
        conditions.delay = Interval(nanoseconds: .min)
        conditions.jitter = Interval(nanoseconds: .min)
        #expect(verdicts(&conditions, "a") == [.deliver(after: .zero)])
    }
}

@Suite struct LinkQueueTests {
    private func drain(_ queue: inout LinkQueue<String>, by now: Instant) -> [String] {
        var items: [String] = []
        while let item = queue.popArrived(by: now) { items.append(item) }
        return items
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func aLaterItemNeverOvertakes() {
        var queue = LinkQueue<String>()
        queue.send("slow", after: .milliseconds(100), at: at(0))
        queue.send("quick", after: .milliseconds(1), at: at(50))
        #expect(queue.entries.map(\.at) == [at(100), at(100)])
        #expect(queue.nextArrival == at(100))
        #expect(drain(&queue, by: at(99)) == [])
        #expect(drain(&queue, by: at(100)) == ["slow", "quick"])
        #expect(queue.isEmpty)
        queue.send("later", after: .zero, at: at(101))
        #expect(queue.nextArrival == at(101))
    }

    @Test func heldItemsArriveInOrderAfterItemsInFlight() {
        var queue = LinkQueue<String>()
        queue.apply(.hold, to: "held 1", at: at(0))
        queue.apply(.deliver(after: .milliseconds(10)), to: "passes", at: at(1))
        queue.apply(.hold, to: "held 2", at: at(2))
        queue.apply(.drop, to: "lost", at: at(3))
        queue.apply(.deliverTwice(after: .milliseconds(10)), to: "twice", at: at(4))
        #expect(queue.held == ["held 1", "held 2"])
        let released = queue.release(at: at(5))
        #expect(released == 2)
        #expect(drain(&queue, by: at(13)) == ["passes"])
        #expect(drain(&queue, by: at(14)) == ["twice", "twice", "held 1", "held 2"])
        #expect(queue.held.isEmpty)
    }

    @Test func heldItemsHaveALimit() {
        var queue = LinkQueue<Int>()
        let kept = (0...LinkQueue<Int>.heldCountMax).map { queue.hold($0) }
        #expect(kept.dropLast().allSatisfy { $0 })
        #expect(kept.last == false)
        #expect(queue.held.count == LinkQueue<Int>.heldCountMax)
    }
}
