import Foundation
import IMProtocol
import IMWorld
import Recorder
import SansIO
import Testing

@testable import IMRepl

/// Going on from an event of a recording, by hand or with one thing changed.
@Suite struct ForkTests {
    /// With nothing changed, the story goes on as it did, wherever one enters: machines, links, what was on its way and
    /// every draw of chance are as they were.
    @Test(arguments: SessionLibrary.scripts) func withNothingChangedItGoesOnAsItDid(_ script: String) throws {
        let stage = try StoryStage(String(script.dropLast(4)))
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
