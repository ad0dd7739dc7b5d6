import IMProfiles
import IMServer
import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct PolicyMeaningTests {
    @Test func `every value of the policy has a meaning, and every choice`() {
        #expect(PolicyMeaning.all.map(\.key) == ServerMachine.policyKeys.map(\.key))
        for (key, takes) in ServerMachine.policyKeys where takes.contains("|") && takes != "true|false" {
            #expect(PolicyMeaning.of(key)?.choices.map(\.name) == takes.split(separator: "|").map(String.init))
        }
    }

    @Test(arguments: Dialects.all.map(\.profile))
    func `the list shows the present values`(profile: String) throws {
        let policy = try #require(Dialects.named(profile)).serverPolicy
        for meaning in PolicyMeaning.all {
            let value = meaning.value(policy)
            let takes = ServerMachine.policyKeys.first { $0.key == meaning.key }?.takes
            if takes == ServerMachine.takesMilliseconds {
                #expect(DurationText.interval(value) != nil, "\(meaning.key)=\(value)")
            } else if takes?.contains("|") == true {
                #expect(
                    takes?.split(separator: "|").map(String.init).contains(value) == true, "\(meaning.key)=\(value)")
            } else {
                #expect(Int(value) != nil, "\(meaning.key)=\(value)")
            }
        }
    }
}
