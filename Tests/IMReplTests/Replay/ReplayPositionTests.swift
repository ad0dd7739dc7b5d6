import Foundation
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl

/// Tests of the positions to which `goto`, `back` and `finish` move.
@Suite struct ReplayPositionTests {
    @Test func `the last event is a position, and the session is not a node`() throws {
        let session = try SessionLibrary.replay("readme")
        #expect(try ReplayPosition("\(session.count)").resolve(in: session.debug) == session.count)
        #expect(throws: DebuggerError.self) { try ReplayPosition("\(session.count + 1)").resolve(in: session.debug) }
        #expect(throws: DebuggerError.self) { try session.node(named: "session") }
        // The prompt shows times in this form.
        for text in ["t=+2.5", "+2.500s", "2.5s", "2500ms"] {
            #expect(try ReplayPosition(text) == .time(Instant(nanoseconds: 2_500_000_000)), "\(text)")
        }
        #expect(try ReplayPosition("+2") == .forward(2))
    }

    @Test func `a mark with exactly this name has priority over marks with this prefix`() throws {
        let session = try Played.replay(
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            rec mark "lift off"
            rec mark lift
            """)
        let marks = try session.debug.marks()
        #expect(try ReplayPosition("mark:lift").resolve(in: session.debug) == marks.last?.number)
        #expect(try ReplayPosition("mark:lift o").resolve(in: session.debug) == marks.first?.number)
    }

    /// In this recording, two commands run at the same time, and the command that started first ends first.
    @Test func `a result is printed with the name of its command`() throws {
        let session = try SessionLibrary.replay("p-03-logged-in-as-the-user-before")
        #expect(try session.text(of: session.event(164)).hasPrefix("result login "))
        #expect(try session.text(of: session.event(165)).hasPrefix("result logout "))
    }

    @Test func `visited positions form a history, as in a browser`() {
        var visited = VisitedPositions()
        visited.visit(10, from: 0)
        visited.visit(10, from: 10)
        // After several steps, their last position becomes part of the history at the next jump.
        visited.visit(50, from: 12)
        #expect(visited.numbers == [0, 10, 12, 50])
        let earlierPositions = [visited.move(by: -1), visited.move(by: -1)]
        #expect(earlierPositions == [12, 10])
        // A new move removes the positions that `back` has left.
        visited.visit(3, from: 10)
        #expect(visited.numbers == [0, 10, 3])
        let outside = [visited.move(by: 1), visited.move(by: -3)]
        #expect(outside == [nil, nil])
        for number in 100..<2000 as Range<UInt64> { visited.visit(number, from: number - 1) }
        #expect(visited.numbers.count == VisitedPositions.countMax && visited.numbers.last == 1999)
    }

    // MARK: The end of running operations

    @Test func `'finish' ends the running command, not the completed one`() throws {
        let session = try Played.replay(
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            login alice
            query state
            wait 1s
            """)
        func result(_ name: String) throws -> UInt64 {
            let found = try session.debug.search(isForward: true, from: 0) { view, session in
                let event = session.decoded(view)
                guard event.kind == "result" else { return false }
                return try session.text(of: event).hasPrefix("result \(name) ")
            }
            return try #require(found)
        }
        try session.move(to: try result("query"))
        try session.finish()
        #expect(try session.position == result("login"))
    }

    @Test func `'finish' continues, or reports that no command is running`() throws {
        let session = try SessionLibrary.replay("readme")
        var refusals = 0
        for number in 1...session.count {
            try session.move(to: number)
            do {
                try session.finish()
                #expect(session.position > number)
            } catch let failure as DebuggerError {
                refusals += 1
                #expect(failure.description.contains("nothing is in progress"))
                #expect(session.position == number)
            }
        }
        #expect(refusals > 10 && refusals < session.count / 2)
    }

    @Test func `'finish' ends the newest command first, and without one a connection attempt`() throws {
        let session = try SessionLibrary.replay("p-03-logged-in-as-the-user-before")
        try session.move(to: 163)
        try session.finish()
        #expect(session.position == 165)
        let phone = try #require(session.reader.node(named: "phone"))
        let received = try session.timeline.last(before: 136) { $0.node == phone && $0.channel == .transport }
        try session.move(to: try #require(received).number)
        try session.finish()
        #expect(session.position == 151)
    }
}
