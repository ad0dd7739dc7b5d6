import Foundation
import IMProtocol
import IMWorld
import Recorder
import Testing

@testable import IMRepl

/// What `why` says of a kick besides the chain of its causes, checked on recordings of the library.
@Suite struct WhyTests {
    @Test(arguments: [
        // Told late: it was the other device's login that took the place, not the own one.
        ("s-08-kicked-while-reconnecting", UInt64(83), UInt64?(62), UInt64?(12)),
        // Told at once: the chain leads to the other device by itself.
        ("readme", 56, nil, 15), ("p-06-kick-missed-while-away", 276, nil, 236),
        // An operator's command, and a call of somebody who is not logged in.
        ("c-05-kicked-in-the-middle-of-something", 79, nil, 51),
    ])
    func `a kick leads to the login that took the place and to the one that lost it`(
        name: String, transition: UInt64, decision: UInt64?, lost: UInt64?
    ) throws {
        let session = try SessionLibrary.replay(name)
        let finder = try CauseFinder(session)
        let story = try finder.kickStory(of: finder.chain(from: transition).steps)
        #expect(story == KickStory(decision: decision, lost: lost))
    }

    @Test func `a call from outside that was told late is found`() throws {
        let session = try SessionLibrary.replay("chat-06-from-outside")
        let finder = try CauseFinder(session)
        let story = try #require(try finder.kickStory(of: finder.chain(from: 270).steps))
        let decision = try session.event(try #require(story.decision))
        guard case .input(.frame(_, let frame)) = decision.content, case .accountCall(let call) = frame.body else {
            Issue.record("\(decision)")
            return
        }
        #expect(call.action != .listDevices)
    }

    @Test func `a timer that sets itself again and again is one step`() throws {
        let session = try SessionLibrary.replay("c-12-silence-on-both-sides")
        let timer = try #require(
            try session.timeline.last(before: session.count) { session.decoded($0).kind == "timer" })
        // The phone's heartbeats before the silence, and those of its first link.
        let steps = try CauseFinder(session).chain(from: timer.number).steps
        let repeated = steps.filter { $0.repeats > 0 }
        #expect(repeated.map(\.number) == [105, 77] && repeated.map(\.repeats) == [1, 3])
        // Who was in the way is named only if it came while the timer ran.
        let hows = [206: "attempt", 87: "heartbeat; since then #97 net half-open", 77: "heartbeat"]
        for (number, how) in hows {
            #expect(steps.first { $0.number == number }?.how == "set the timer \(how)")
        }
    }

    @Test func `what is no kick has no such story`() throws {
        let session = try SessionLibrary.replay("s-08-kicked-while-reconnecting")
        let finder = try CauseFinder(session)
        #expect(try finder.kickStory(of: finder.chain(from: 55).steps) == nil)
        #expect(try finder.kickStory(of: []) == nil)
    }

    /// In every recording: what decided a kick lies before it and is a login, a command or a call; what it ended is a
    /// login of the device that was kicked.
    @Test(arguments: SessionLibrary.scripts)
    func `every kick is explained`(_ script: String) throws {
        let session = try SessionLibrary.replay(String(script.dropLast(4)))
        let finder = try CauseFinder(session)
        for number in 1...session.count {
            guard case .input(.frame(_, let frame)) = try session.event(number).content,
                case .kicked(let notice) = frame.body
            else { continue }
            let chain = try finder.chain(from: number).steps
            guard let story = try finder.kickStory(of: chain) else {
                Issue.record("\(script) #\(number): no server sent it")
                continue
            }
            if let decision = story.decision {
                #expect(decision < number && !chain.map(\.number).contains(decision))
                let end = try finder.chain(from: decision)
                #expect(end.end.contains("from outside the client") || end.end.contains("told the story"), "\(end)")
            }
            let lost = try session.event(try #require(story.lost, "\(script) #\(number)"))
            guard case .input(.frame(_, let login)) = lost.content, case .login(let request) = login.body else {
                Issue.record("\(script) #\(number): \(lost)")
                continue
            }
            #expect(request.device.id != notice.by?.id, "\(script) #\(number)")
        }
    }
}
