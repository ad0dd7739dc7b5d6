import IMProfiles
import SansIO
import Testing

@testable import IMServer

/// A policy from a file is accepted only with values that `server policy` could set.
@Suite struct PolicyRangeTests {
    /// A policy that the operator can set can also be read from a file.
    @Test func everyKeyAcceptsItsOwnValues() {
        let policy = NIMDialect().serverPolicy
        for key in ServerPolicy.settings {
            let values = ["true", "false", "7", "1000000"] + key.takes.split(separator: "|").map(String.init)
            let set = values.compactMap { key.set($0, in: policy) }
            #expect(!set.isEmpty, "\(key.key)")
            for next in set { #expect(key.allows(next) && next.validationError == nil, "\(key.key)") }
        }
    }

    /// A field of a type that the check does not support would give an error for every profile.
    @Test func everyProfileIsWithinTheRanges() {
        for dialect in Dialects.all { #expect(dialect.serverPolicy.validationError == nil) }
    }

    @Test func invalidValuesCannotBeSetOrRead() {
        let policy = NIMDialect().serverPolicy
        for value in [Int64.min, -1, 0, .max] {
            for keyPath in [\ServerPolicy.heartbeatInterval, \.silenceLimit, \.loginOverdueAfter, \.loginRateWindow] {
                var wrong = policy
                wrong[keyPath: keyPath] = Interval(nanoseconds: value)
                #expect(wrong.validationError != nil)
            }
        }
        for value in [Int.min, -1, 0, .max] {
            for keyPath in [\ServerPolicy.messagesStoredMax, \.channelMembersMax, \.accountCountMax, \.deviceCountMax] {
                var wrong = policy
                wrong[keyPath: keyPath] = value
                #expect(wrong.validationError != nil)
            }
        }
        var wrong = policy
        wrong.channelReplayMax = -1
        #expect(wrong.validationError == "its policy's channel-replay-max is out of range")
    }

    @Test func theOperatorCannotExceedTheFilesLimits() {
        let server = ServerTranscript(NIMDialect().serverPolicy)
        for value in ["0", "-1", "\(Int64.max)", "\(Int64.min)", "nan", ""] {
            #expect(server.command(.setPolicy(key: "heartbeat-interval-ms", value: value)) == ["done invalid-argument"])
        }
        #expect(server.command(.setPolicy(key: "heartbeat-interval-ms", value: "1")) == ["done ok"])
    }
}
