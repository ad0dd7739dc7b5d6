import IMClient
import IMLocalData
import IMProtocol
import IMServer
import Recorder
import SansIO
import Testing

@testable import IMSession

/// Tests of the estimate of an event's memory. For every kind of event, it is correct within a factor of two.
@Suite struct EventSizeTests {
    private static let text = String(repeating: "x", count: 100_000)

    private static let large: [(name: String, content: SessionEvent.Content)] = [
        ("mark", .mark(text)), ("unreadable", .unreadable(text)), ("fault", .environment(.other(text))),
        ("client command", .input(.clientCommand(CommandID(1), .call(request)))),
        ("server command", .input(.serverCommand(CommandID(1), .addAccount(text)))),
        ("data", .input(.data(DataAnswer(generation: 1, .answered(number: 2, answer))))),
        ("result", .effect(.complete(CommandID(1), Completion(.ok, rows: answer.rows)))),
        ("message", .effect(.notify(.messageReceived(ChatMessage(id: "1", from: "a", to: "b", text: text))))),
        ("presence", .effect(.presence(user: text, device: "d", .online))),
        ("frame", .input(.frame(ConnectionID(1), Frame(request: 1, .goodbye(.shutdown, detail: text))))),
    ]
    private static let request = LocalRequest(.queryUsersInfo, [("userIDs", text)])
    private static let answer = LocalAnswer(.ok, [AnswerRow([("userName", text)])], next: "")

    @Test(arguments: large.indices) func aLargeEventIsCounted(_ index: Int) {
        let (name, content) = Self.large[index]
        let bytes = SessionEvent(number: 1, time: .zero, node: "phone", content: content).estimatedBytes
        #expect(bytes >= Self.text.utf8.count / 2 && bytes <= 2 * Self.text.utf8.count, "\(name): \(bytes)")
    }

    @Test func aServersStateIsCounted() throws {
        let start = FieldSamples.starts[1]
        let event = SessionEvent(number: 1, time: .zero, node: "server", content: .start(start))
        #expect(event.estimatedBytes >= (try start.payload().count) / 2)
    }
}
