import IMProtocol
import Testing

@testable import IMClient

/// A property that is not listed in `FormatKeys.swift` would be missing in keyframes.
@Suite struct StoredPropertyTests {
    @Test func everyPropertyOfALinkIsStored() {
        let properties = Mirror(reflecting: ClientMachine.Link(id: ConnectionID(1))).children
        #expect(properties.count == ClientMachine.Link.CodingKeys.allCases.count)
    }
}
