import IMProfiles
import IMServer
import Testing

@testable import IMShell
@testable import IMText

@Suite struct PolicySettingTests {
    @Test func `every choice of a policy has a meaning`() {
        for setting in ServerPolicy.settings where setting.takes.contains("|") && setting.takes != "true|false" {
            #expect(setting.choices.map(\.name) == setting.takes.split(separator: "|").map(String.init))
        }
    }

    @Test(arguments: Dialects.all.map(\.profile))
    func `what is listed is what is set`(profile: String) throws {
        let policy = try #require(Dialects.named(profile)).serverPolicy
        for setting in ServerPolicy.settings {
            let value = setting.shown(in: policy)
            if setting.milliseconds != nil { #expect(DurationText.interval(value) != nil, "\(setting.key)=\(value)") }
            #expect(setting.set(setting.value(of: value), in: policy) == policy, "\(setting.key)=\(value)")
        }
    }
}
