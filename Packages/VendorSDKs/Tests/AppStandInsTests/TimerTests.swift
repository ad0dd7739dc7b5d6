import AppStandIns
import Foundation
import Testing
import VirtualTime

@Suite struct TimerTests {
    @Test func timersFireAtTheirTimes() async throws {
        try await withVirtualTime { time in
            let log = Log()
            SimulatedTimer.scheduledTimer(withTimeInterval: 2, repeats: false) { timer in
                log.add("once")
                #expect(!timer.isValid)
            }
            let repeating = SimulatedTimer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in log.add("again")
            }
            await time.run(for: .milliseconds(350))
            repeating.invalidate()
            await time.run(for: .seconds(5))
            #expect(log.lines == ["again 0.1", "again 0.2", "again 0.3", "once 2.0"])
        }
    }

    @Test func aTimerWithoutALoopNeverFires() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let timer = SimulatedTimer(timeInterval: 1, repeats: false) { _ in log.add("fired") }
            await time.run(for: .seconds(2))
            #expect(log.words.isEmpty)
            SimulatedRunLoop.main.add(timer, forMode: .common)
            await time.runDueEntries()
            #expect(log.words == ["fired"])
            SimulatedDispatchQueue.global().async {
                SimulatedTimer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in log.add("not here") }
            }
            await time.run(for: .seconds(2))
            #expect(log.words == ["fired"])
            #expect(time.findings.map(\.kind) == [.timerWithoutRunLoop])
        }
    }

    @Test func theFireDateCanBeMoved() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let timer = SimulatedTimer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in log.add("fired") }
            #expect(timer.fireDate.timeIntervalSince(Date()) == 1)
            timer.fireDate = Date().addingTimeInterval(3)
            await time.run(for: .seconds(5))
            #expect(log.lines == ["fired 3.0"])
        }
    }

    @Test func firesThatAreMissedWhileMainIsBusyAreSkipped() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let timer = SimulatedTimer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in log.add("fired") }
            SimulatedRunLoop.current.run(until: Date().addingTimeInterval(3.5))
            #expect(log.words.isEmpty)
            await time.run(for: .seconds(1))
            #expect(log.lines == ["fired 3.5", "fired 4.0"])
            timer.invalidate()
        }
    }
}
