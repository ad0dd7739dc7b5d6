import Foundation
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSimulation

/// Tests of the fate of each frame: as recorded, and as reconstructed for recordings of format 1.
@Suite struct CausalGraphTests {
    private func graph(_ script: String) throws -> (CausalGraph, DebugSession) {
        let session = try Played.replay(script)
        return (try session.debug.causalGraph(), session.debug)
    }

    private static let beginning = """
        #! imrepl script 1
        # profile: nim
        client new phone --platform ios
        login alice
        wait 5s
        """

    /// The fates of the frames of one type that a node sent.
    private func deliveries(
        _ type: String, of node: String, _ graph: CausalGraph, _ session: DebugSession
    ) throws -> [CausalGraph.Delivery?] {
        var found: [CausalGraph.Delivery?] = []
        try session.timeline.scan(after: 0) { view in
            if case .effect(.send(_, let frame)) = session.decoded(view).content, frame.body.name == type,
                session.reader.name(of: view.node) == node
            {
                found.append(graph.deliveries[view.number])
            }
            return true
        }
        return found
    }

    @Test func `a dropped frame is lost, a duplicated one arrives twice, a held one arrives late`()
        throws
    {
        let (graph, session) = try graph(
            Self.beginning + """

                net drop send --count 1
                send bob one
                wait 1s
                net duplicate send --count 1
                send bob two
                wait 1s
                net hold send --count 1
                send bob three
                wait 2s
                net release
                wait 1s
                """)
        let sent = try deliveries("send", of: "phone", graph, session)
        #expect(sent.count == 3 && sent[0] == .lost)
        var arrivals: [UInt64: Int] = [:]
        for (arrival, sending) in graph.sendings {
            #expect(try session.event(arrival).kind == "frame" && session.event(sending).kind == "frame")
            arrivals[sending, default: 0] += 1
        }
        #expect(arrivals.values.filter { $0 == 2 }.count == 1)
        guard case .arrived(let late) = sent[2] else {
            Issue.record("\(sent)")
            return
        }
        #expect(try session.event(late).time - session.event(try #require(graph.sendings[late])).time > .seconds(1))
    }

    @Test func `a frame that is sent at the very end is in flight`() throws {
        let (graph, session) = try graph(Self.beginning + "\nnet delay 300ms\nsend bob one\nwait 10ms")
        #expect(try deliveries("send", of: "phone", graph, session) == [.inFlight])
    }

    @Test func `without the other side no frame counts as lost`() throws {
        var builder = CausalGraph.Builder(try SessionLibrary.reader("readme").header)
        let phone = NodeIndex(rawValue: 2)
        for event in try SessionLibrary.events("readme") where event.node == "phone" { builder.take(event, of: phone) }
        let graph = builder.build()
        #expect(!graph.hasBothSides && !graph.deliveries.isEmpty)
        #expect(graph.deliveries.values.allSatisfy { $0 == .notRecorded })
    }

    /// In every recording of the library, each input that another event caused contains this event's number.
    @Test(arguments: SessionLibrary.scripts)
    func `recorded events contain their cause`(script: String) throws {
        let name = String(script.dropLast(4))
        for event in try SessionLibrary.events(name) {
            switch event.content {
            case .effect: #expect(event.cause > 0 && event.cause < event.number)
            // A server starts with timers for the logins that it restored, so such a timer has no cause.
            case .input(.deadlineReached) where event.node == "server": #expect(event.cause < event.number)
            case .input(.frame), .input(.linkOpened), .input(.linkFailed), .input(.linkClosed), .input(.network),
                .input(.deadlineReached):
                #expect(event.cause > 0 && event.cause < event.number, "\(name) #\(event.number)")
            case .input, .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: break
            }
        }
    }

    /// The reconstructed causes equal the recorded ones, except for equal frames that cannot be distinguished, such as
    /// two heartbeats of which one was lost.
    @Test func `the reconstructed causes equal the recorded ones`() throws {
        var (count, wrong) = (0, 0)
        for script in SessionLibrary.scripts {
            let name = String(script.dropLast(4))
            let reader = try SessionLibrary.reader(name)
            var graph = CausalGraph.Builder(reader.header)
            var moments: [FramePairing.ConnectionEvent] = []
            var servers: Set<NodeIndex> = []
            try reader.forEach { view in
                let event = SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema())
                if case .start(let start) = event.content, start.isServer { servers.insert(view.node) }
                graph.take(event, of: view.node)
                let end = CausalGraph.End(node: view.node, connection: event.connection)
                if let moment = FramePairing.ConnectionEvent(event, end) { moments.append(moment) }
            }
            let reconstructed = FramePairing(moments, servers: servers).origins
            for (arrival, sending) in graph.build().sendings {
                count += 1
                if reconstructed[arrival] != sending { wrong += 1 }
            }
        }
        #expect(count > 10_000 && wrong * 1000 < count, "\(wrong) of \(count)")
    }
}
