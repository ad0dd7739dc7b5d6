import Foundation
import IMProtocol
import SansIO
import Testing

@testable import IMServer

/// Tests with thousands of connections that open and close.
@Suite struct ConnectionTableTests {
    @Test func thousandsEndAtTheSameInstant() {
        var machine = ServerMachine(policy: ServerPolicy(profile: "nim", exclusion: .none), epochMilliseconds: 0)
        var effects: [ServerEffect] = []
        for number in 1...10_000 as ClosedRange<UInt32> {
            machine.handle(.connectionOpened(ConnectionID(number)), at: .zero, into: &effects)
        }
        #expect(effects.isEmpty)
        machine.handle(.connectionOpened(ConnectionID(10_001)), at: .zero, into: &effects)
        #expect(effects == [.close(ConnectionID(10_001))])
        // If the time grew quadratically with the number of connections, this would take minutes.
        for number in 1...10_000 as ClosedRange<UInt32> {
            machine.handle(.connectionClosed(ConnectionID(number)), at: .zero + .seconds(1), into: &effects)
        }
        #expect(machine.nextDeadline == nil)
        #expect(machine.connections.isEmpty)
    }

    /// Each stored property must have a key in `FormatKeys.swift`. Without one, it would be missing in keyframes.
    @Test func everyPropertyIsStored() {
        let properties = Mirror(reflecting: Connection(lastReceived: .zero)).children
        #expect(properties.count == Connection.CodingKeys.allCases.count)
        #expect(Mirror(reflecting: MessageTimes()).children.count == MessageTimes.CodingKeys.allCases.count)
    }

    @Test func theOrderIsTheOrderOfCreation() throws {
        var table = ConnectionTable()
        for number in [9, 2, 300, 1] as [UInt32] {
            table[ConnectionID(number)] = Connection(lastReceived: .zero + .seconds(Int64(number)))
        }
        #expect(table.keys.map(\.rawValue) == [1, 2, 9, 300])
        let json = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(ConnectionTable.self, from: json) == table)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ConnectionTable.self, from: Data("[1]".utf8))
        }
    }
}
