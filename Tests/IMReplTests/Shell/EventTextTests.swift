import IMProtocol
import IMWorld
import SansIO
import Testing

@testable import IMRepl

/// How events stand on screens of any width.
@Suite struct EventTextTests {
    private let event = SessionEvent(
        number: 41, time: Instant(nanoseconds: 3_024_000_000), node: "phone", content: .mark(""))
    private let text = "callback onLogin step=NIMLoginStepSyncOK(8)"

    @Test(arguments: [nil, 72, 100] as [Int?]) func `where there is room, the columns stand below each other`(
        columns: Int?
    ) {
        let (head, shown) = EventText.parts(event, text, columns: columns)
        #expect(head == "#41   +3.024s     phone   ")
        #expect(shown == text)
    }

    @Test func `a narrow screen gets a short head, and words that are whole`() {
        let (head, shown) = EventText.parts(event, text, columns: 40)
        #expect(head == "#41 +3.024s phone ")
        #expect(shown == "callback onLogin\n  step=NIMLoginStepSyncOK(8)")
    }

    @Test(arguments: 1...71) func `no width loses a word`(columns: Int) {
        let shown = EventText.parts(event, text, columns: columns).text
        #expect(shown.split(whereSeparator: \.isWhitespace) == text.split(separator: " "))
    }
}
