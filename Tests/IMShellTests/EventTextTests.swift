import IMProtocol
import SansIO
import Testing

@testable import IMDebugger
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests of the text of events on screens of any width.
@Suite struct EventTextTests {
    private let event = SessionEvent(
        number: 41, time: Instant(nanoseconds: 3_024_000_000), node: "phone", content: .mark(""))
    private let text = "callback onLogin step=NIMLoginStepSyncOK(8)"

    @Test(arguments: [nil, 72, 100] as [Int?]) func `with enough width the columns are aligned`(
        columns: Int?
    ) {
        let (head, shown) = EventText.parts(event, text, columns: columns)
        #expect(head == "#41   +3.024s     phone   ")
        #expect(shown == text)
    }

    @Test func `the wall clock is beside the relative time`() {
        let wall = WallClock(.live, epochNanoseconds: 1_795_231_863_000_000_000, seed: 0, timeScale: 1)
        let both = EventClock(wall: wall, shown: .both)
        #expect(
            EventText.parts(event, text, columns: nil, clock: both).head
                == "#41   +3.024s     2026-11-21T03:31:06.024Z  phone   ")
        #expect(
            EventText.parts(event, text, columns: 40, clock: both).head
                == "#41 +3.024s 2026-11-21T03:31:06.024Z phone ")
    }

    @Test func `a narrow screen gets a short prefix and whole words`() {
        let (head, shown) = EventText.parts(event, text, columns: 40)
        #expect(head == "#41 +3.024s phone ")
        let rows = LineWrap.rows([.init(head, .dim), .init(shown)], columns: 40)
        #expect(
            rows.map { $0.map(\.text).joined() } == [
                "#41 +3.024s phone callback onLogin", "                  step=NIMLoginStepSyncOK(8)",
            ])
    }

    @Test(arguments: 1...130) func `no width drops a word, and words that fit are not cut`(columns: Int) {
        let (head, shown) = EventText.parts(event, text, columns: columns)
        let rows = LineWrap.rows([.init(head, .dim), .init(shown)], columns: columns).map { $0.map(\.text).joined() }
        #expect(rows.joined(separator: " ").split(separator: " ") == (head + shown).split(separator: " "))
        let longest = text.split(separator: " ").map(\.count).max() ?? 0
        if columns > head.count + longest { #expect(rows.allSatisfy { $0.count <= columns }) }
    }

    @Test func `wide characters count two columns, and combining marks none`() {
        #expect(TextWidth.columns(of: "登录") == 4)
        #expect(TextWidth.columns(of: "e\u{301}") == 1)
        #expect(TextWidth.columns(of: "👍🏽") == 2)
        #expect(TextWidth.columns(of: "👨\u{200D}👩\u{200D}👧") == 2)
        #expect(TextWidth.columns(of: "🇨🇭") == 2)
        #expect(TextWidth.columns(of: "한글") == 4)
        #expect(TextWidth.columns(of: "a\u{200B}b") == 2)
        #expect(LineWrap.wrapped("用户 王小明 在线", columns: 8) == "用户\n  王小明\n  在线")
    }

    @Test func `a line with a caret below it is not broken`() {
        let error = "-c:1:5: unknown command 'frobnicate'\n  frobnicate the whole of it\n  ^~~~~~~~~~"
        let rows = LineWrap.wrapped(error, columns: 20).split(separator: "\n")
        #expect(rows.suffix(2) == ["  frobnicate the whole of it", "  ^~~~~~~~~~"])
    }
}
