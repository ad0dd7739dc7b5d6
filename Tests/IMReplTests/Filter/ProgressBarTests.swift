import Testing

@testable import IMDebugger
@testable import IMRepl

@Suite struct ProgressBarTests {
    /// The output of a progress bar, and the clock that the bar reads.
    private final class Screen {
        var text = ""
        var elapsed = Duration.zero
    }

    @Test func showsNothingForShortWork() {
        let screen = Screen()
        let bar = ProgressBar(total: 4, write: { screen.text += $0 }, elapsed: { screen.elapsed })
        bar.show(done: 1)
        screen.elapsed = .milliseconds(299)
        bar.show(done: 2)
        bar.clear()
        #expect(screen.text.isEmpty)
    }

    @Test func showsTheProgressAndDisappears() {
        let screen = Screen()
        screen.elapsed = ProgressBar.displayDelay
        let bar = ProgressBar(total: 4, write: { screen.text += $0 }, elapsed: { screen.elapsed })
        bar.show(done: 1)
        #expect(screen.text.hasPrefix("\r[#######"))
        #expect(screen.text.contains("25 %, 1 of 4"))
        screen.text = ""
        bar.show(done: 1)
        #expect(screen.text.isEmpty)
        bar.show(done: 1, part: 0.5)
        #expect(screen.text.contains("37 %, 1 of 4"))
        bar.clear()
        #expect(screen.text.hasSuffix("\r\u{1B}[K"))
    }
}
