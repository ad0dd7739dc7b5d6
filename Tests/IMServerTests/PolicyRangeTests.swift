import IMDialects
import SansIO
import Testing

@testable import IMServer

/// A policy that comes from a file holds only what `server policy` could have set.
@Suite struct PolicyRangeTests {
    private static func fields(_ policy: ServerPolicy) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Mirror(reflecting: policy).children.map { ($0.label ?? "", "\($0.value)") })
    }

    /// A new field needs a line in the table of `server policy`, or a place among those that any value will do for.
    @Test func everyFieldHasARange() {
        let policy = NIMDialect().serverPolicy
        var changed: Set<String> = []
        for key in ServerMachine.keys {
            for value in ["true", "false", "7", "8"] + key.takes.split(separator: "|").map(String.init) {
                guard let next = key.change(policy, value) else { continue }
                #expect(key.allows(next), "\(key.key)=\(value) can be set and not be read")
                let (before, after) = (Self.fields(policy), Self.fields(next))
                for (name, value) in after where before[name] != value { changed.insert(name) }
            }
        }
        #expect(Set(Self.fields(policy).keys) == changed.union(ServerPolicy.unranged))
    }

    @Test func everyProfileIsWithinTheRanges() {
        for dialect in Dialects.all { #expect(dialect.serverPolicy.flaw == nil) }
    }

    @Test func whatCannotBeSetCannotBeRead() {
        let policy = NIMDialect().serverPolicy
        for value in [Int64.min, -1, 0, .max] {
            for place in [\ServerPolicy.heartbeatInterval, \.silenceLimit, \.loginOverdueAfter, \.loginRateWindow] {
                var wrong = policy
                wrong[keyPath: place] = Interval(nanoseconds: value)
                #expect(wrong.flaw != nil)
            }
        }
        for value in [Int.min, -1, 0, .max] {
            for place in [\ServerPolicy.messagesStoredMax, \.channelMembersMax, \.accountCountMax, \.deviceCountMax] {
                var wrong = policy
                wrong[keyPath: place] = value
                #expect(wrong.flaw != nil)
            }
        }
    }

    @Test func theOperatorCannotSetWhatNoFileMayHold() {
        let server = ServerTranscript(NIMDialect().serverPolicy)
        for value in ["0", "-1", "\(Int64.max)", "\(Int64.min)", "nan", ""] {
            #expect(server.command(.setPolicy(key: "heartbeat-interval-ms", value: value)) == ["done invalid-argument"])
        }
        #expect(server.command(.setPolicy(key: "heartbeat-interval-ms", value: "1")) == ["done ok"])
    }
}
