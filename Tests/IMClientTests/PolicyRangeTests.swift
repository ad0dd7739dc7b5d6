import IMDialects
import SansIO
import Testing

@testable import IMClient

/// A policy that comes from a file holds only what a profile could say.
@Suite struct PolicyRangeTests {
    /// A new field needs a line in the table of ranges.
    @Test func everyFieldHasARange() {
        let fields = Mirror(reflecting: NIMDialect().clientPolicy).children.compactMap(\.label)
        #expect(ClientPolicy.ranges.map(\.name).sorted() == fields.sorted())
    }

    @Test func everyProfileIsWithinTheRanges() {
        for dialect in Dialects.all { #expect(dialect.clientPolicy.flaw == nil) }
    }

    @Test func whatNoProfileSaysIsNotRead() {
        let policy = NIMDialect().clientPolicy
        for value in [Int64.min, -1, .max] {
            for place in [
                \ClientPolicy.heartbeatInterval, \.heartbeatAnswerLimit, \.attemptTimeLimit, \.requestTimeLimit,
                \.messageTimeLimit, \.logoutTimeLimit, \.interruptionGrace,
            ] {
                var wrong = policy
                wrong[keyPath: place] = Interval(nanoseconds: value)
                #expect(wrong.flaw != nil)
            }
            var wrong = policy
            wrong.retryDelays = [Interval(nanoseconds: value)]
            #expect(wrong.flaw != nil)
            wrong = policy
            wrong.tokenWarning = .afterPerMille(value)
            #expect(wrong.flaw != nil)
        }
        var wrong = policy
        wrong.heartbeatInterval = .zero
        #expect(wrong.flaw == "its policy's heartbeatInterval is out of range")
    }

    /// D.1: whatever a policy says, each deadline is followed by a later one.
    @Test(arguments: [Int64.min, -1_000_000_000, -1, 0, 1])
    func timeGoesOnWhateverThePolicySays(_ nanoseconds: Int64) {
        var policy = NIMDialect().clientPolicy
        policy.heartbeatInterval = Interval(nanoseconds: nanoseconds)
        policy.heartbeatAnswerLimit = .seconds(10)
        policy.sync = .never
        let client = ClientTranscript(policy)
        client.login()
        client.open()
        client.accept()
        var before = client.now
        var machine = client.machine
        for _ in 0..<50 {
            guard let next = machine.nextDeadline else { break }
            let now = max(next, before)
            #expect(machine.handle(.deadlineReached, at: now).count < 100)
            if let after = machine.nextDeadline { #expect(after > now) }
            before = now
        }
    }
}
