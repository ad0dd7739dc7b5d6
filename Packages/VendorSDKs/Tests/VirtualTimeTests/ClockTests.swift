import Dispatch
import Foundation
import Testing
import VirtualTime

@Suite struct ClockTests {
    @Test func everyClockOfTheJobThreadIsVirtual() async throws {
        try await withVirtualTime { time in
            let start = Readings()
            #expect(start.date == 1_767_225_600)
            #expect(start.time == 1_767_225_600)
            #expect(start.uptime == 1_000)
            #expect(start.dispatch == 1_000_000_000_000)
            await time.run(for: .milliseconds(2_500))
            let end = Readings()
            #expect(end.date - start.date == 2.5)
            #expect(end.reference - start.reference == 2.5)
            #expect(end.time - start.time == 2)
            #expect(end.uptime - start.uptime == 2.5)
            #expect(end.dispatch - start.dispatch == 2_500_000_000)
            #expect(end.microseconds - start.microseconds == 2_500_000)
            #expect(start.continuous.duration(to: end.continuous) == .milliseconds(2_500))
            #expect(start.suspending.duration(to: end.suspending) == .milliseconds(2_500))
            let measured = try await ContinuousClock().measure { try await Task.sleep(for: .seconds(3)) }
            #expect(measured == .seconds(3))
        }
    }

    @Test func theStartTimeCanBeSet() async throws {
        try await withVirtualTime(start: 1_000_000_000_000_000_000) {
            #expect(Date() == Date(timeIntervalSince1970: 1_000_000_000))
            #expect(Date.now.timeIntervalSince1970 == 1_000_000_000)
        }
    }

    @Test func theWorldContinuesDuringSleepsOfTheJobThread() async throws {
        try await withVirtualTime { time in
            let mark = Mark()
            Task.detached {
                try await Task.sleep(for: .seconds(1))
                mark.isSet = true
            }
            sleepOnThread(seconds: 2)
            #expect(mark.isSet)
            #expect(time.now == 2_000_000_000)
            usleep(500_000)
            sleep(3)
            var request = timespec(tv_sec: 1, tv_nsec: 5)
            nanosleep(&request, nil)
            #expect(time.now == 6_500_000_005)
            #expect(time.findings.map(\.kind) == Array(repeating: .mainThreadBlocked, count: 4))
        }
    }

    /// A function of its own, because the compiler warns about this call in an async context.
    private func sleepOnThread(seconds: Double) {
        Thread.sleep(forTimeInterval: seconds)
    }

    @Test func otherThreadsHaveRealClocks() async throws {
        let thisYear = Date().timeIntervalSince1970
        let other = try await withVirtualTime(start: 0) {
            #expect(Date().timeIntervalSince1970 == 0)
            return await withUnsafeContinuation { continuation in
                Thread { continuation.resume(returning: Date().timeIntervalSince1970) }.start()
            }
        }
        #expect(thisYear > 1_000_000_000)
        #expect(other >= thisYear)
    }

    @Test func aLoopThatReadsTheClockEnds() async throws {
        try await withVirtualTime { time in
            let end = Date().addingTimeInterval(1)
            while Date() < end {}
            #expect(time.findings.map(\.kind) == [.busyLoop])
        }
    }

    @Test func anotherThreadThatResumesATaskIsReported() async throws {
        try await withVirtualTime { time in
            await withUnsafeContinuation { continuation in
                Thread { continuation.resume() }.start()
            }
            #expect(time.findings.map(\.kind) == [.escapeToThread])
        }
    }
}

/// What each clock shows at one time.
private struct Readings {
    let date = Date().timeIntervalSince1970
    let reference = Date.timeIntervalSinceReferenceDate
    let uptime = ProcessInfo.processInfo.systemUptime
    let dispatch = DispatchTime.now().uptimeNanoseconds
    let continuous = ContinuousClock.now
    let suspending = SuspendingClock.now
    let time = Foundation.time(nil)
    let microseconds: Int

    init() {
        var now = timeval()
        gettimeofday(&now, nil)
        microseconds = now.tv_sec * 1_000_000 + Int(now.tv_usec)
    }
}
