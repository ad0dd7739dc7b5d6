import Testing

@testable import IMExport

/// The dissector's tables of messages and enums fit each other.
@Suite struct DissectorMessagesTests {
    @Test func everyNamedEnumExists() {
        let script = WiresharkDissector.script
        for match in script.matches(of: /enum = "([a-z]+)"/) {
            #expect(script.contains("  [\"\(match.1)\"] = { ["), "there is no enum \(match.1)")
        }
        #expect(
            script.contains(
                """
                ["im.v1.KickNotice"] = { [1] = { name = "reason", type = "uint32", enum = "kick" }
                """))
    }
}
