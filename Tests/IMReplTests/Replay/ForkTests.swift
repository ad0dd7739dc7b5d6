import Foundation
import IMProtocol
import IMWorld
import Recorder
import SansIO
import Testing

@testable import IMRepl

/// Going on from an event of a recording, by hand or with one thing changed.
@Suite struct ForkTests {
    /// The nodes of a story and what they were told, without the rest of the file.
    private struct Stage {
        let tape: ForkTape
        let configuration: WorldConfiguration

        init(_ script: String) throws {
            let reader = try SessionReader(path: "\(SessionLibrary.folder)/\(script.dropLast(4)).pcapng")
            tape = try ForkTape(reader)
            configuration = try WorldPlan(goingOnFrom: reader.header).configuration(goingOnFrom: reader.header)
        }

        func outcome(_ change: WhatIf.Change, at number: UInt64) throws -> WhatIfOutcome {
            try WhatIf(tape, change, at: number).run(configuration)
        }

        /// The number of the first event that satisfies the condition.
        func first(_ condition: (SessionEvent) -> Bool) throws -> UInt64 {
            let found = tape.events.first(where: condition)
            return try #require(found).number
        }
    }

    /// With nothing changed, the story goes on as it did, wherever one enters: machines, links, what was on its way and
    /// every draw of chance are as they were.
    @Test(arguments: SessionLibrary.scripts) func withNothingChangedItGoesOnAsItDid(_ script: String) throws {
        let stage = try Stage(script)
        let count = UInt64(stage.tape.events.count)
        for number in [3, count / 4, count / 2, count / 4 * 3, count - 1] {
            let outcome = try stage.outcome(.none, at: number)
            #expect(outcome.skipped.isEmpty, "from #\(number)")
            let words = outcome.difference.map { "\($0.node): \($0.recorded as Any) is \($0.retold as Any)" }
            #expect(outcome.isSame, "from #\(number): \(words ?? "")")
            #expect(outcome.recorded.map(\.time) == outcome.retold.map(\.time), "from #\(number)")
        }
    }
}
