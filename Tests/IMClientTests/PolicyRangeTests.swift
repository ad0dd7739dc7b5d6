import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMClient

/// Tests that a policy from a file is accepted only with values that a profile could have.
@Suite struct PolicyRangeTests {
    /// A field of a type that the check does not support would give an error for every profile.
    @Test func everyProfileIsWithinTheRanges() {
        for dialect in Dialects.withVersions { #expect(dialect.clientPolicy.validationError == nil) }
    }

    @Test func unknownPolicyValuesAreRefused() {
        let policy = NIMDialect().clientPolicy
        for value in [Int64.min, -1, .max] {
            for property in [
                \ClientPolicy.heartbeatInterval, \.heartbeatAnswerLimit, \.attemptTimeLimit, \.requestTimeLimit,
                \.messageTimeLimit, \.logoutTimeLimit, \.interruptionGrace,
            ] {
                var wrong = policy
                wrong[keyPath: property] = Interval(nanoseconds: value)
                #expect(wrong.validationError != nil)
            }
            var wrong = policy
            wrong.retryDelays = [Interval(nanoseconds: value)]
            #expect(wrong.validationError != nil)
            wrong = policy
            wrong.suspension = Suspension(after: .seconds(1), retryDelay: Interval(nanoseconds: value))
            #expect(wrong.validationError != nil)
            wrong = policy
            wrong.tokenWarning = .afterPerMille(value)
            #expect(wrong.validationError != nil)
        }
        var wrong = policy
        wrong.heartbeatInterval = .zero
        #expect(wrong.validationError == "its policy's heartbeatInterval is out of range")
    }

    /// With every policy, each deadline is followed by a later one, so time advances.
    @Test(arguments: [Int64.min, -1_000_000_000, -1, 0, 1])
    func timePassesUnderEveryPolicy(_ nanoseconds: Int64) {
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

    /// The check covers a new field without a change of this test.
    @Test func everyFieldIsCheckedByItsType() {
        struct Rate { var window = Interval.seconds(1) }
        struct Policy {
            var text = "a"
            var isOn = true
            var limit: Int64? = 3
            var bytesMax = PolicyLimit.countMax
            var frameBytesMax = PolicyLimit.bytesMax
            var rates = [Rate(), Rate()]
            var share: Double?
        }
        #expect(PolicyLimit.validationError(in: Policy()) == nil)
        #expect(PolicyLimit.validationError(in: Policy(limit: -1)) == "limit")
        #expect(PolicyLimit.validationError(in: Policy(bytesMax: .max)) == "bytesMax")
        #expect(PolicyLimit.validationError(in: Policy(frameBytesMax: .max)) == "frameBytesMax")
        #expect(PolicyLimit.validationError(in: Policy(rates: [Rate(), Rate(window: .nanoseconds(-1))])) == "rates")
        #expect(PolicyLimit.validationError(in: Policy(rates: Array(repeating: Rate(), count: 1001))) == "rates")
        #expect(PolicyLimit.validationError(in: Policy(share: 0.5)) == "share")
    }
}
