import IMSession
import SansIO
import Testing

/// Tests of actions of the environment in their encoded form.
@Suite struct EnvironmentActionTests {
    private static let actions: [EnvironmentAction] = [
        .net(.down), .net(.up), .net(.switchNetwork), .net(.halfOpen), .net(.reset), .net(.release), .net(.clear),
        .net(.delay(.milliseconds(800), jitter: .zero)),
        .net(.delay(.milliseconds(800), jitter: .milliseconds(200))), .net(.loss(0)), .net(.loss(1)),
        .net(.loss(333_333)), .net(.loss(1_000_000)), .net(.rule(FrameRule(.drop, frame: "login-ack"))),
        .net(.rule(FrameRule(.hold, frame: "*", direction: .toClient, count: 3))),
        .net(.rule(FrameRule(.duplicate, frame: "message", direction: .toServer))), .sleep(.seconds(600)),
        .clockSkew(.seconds(-90)), .clockSkew(.zero),
    ]

    @Test(arguments: actions) func encodedActionsAreDecoded(_ action: EnvironmentAction) {
        #expect(EnvironmentAction(command: action.command) == action)
    }

    /// A file may contain any text as an action. A copy of the file contains the same text.
    @Test(arguments: [
        "", " ", "net", "net down ", "net  down", "net delay", "net delay 1s", "net delay 99999999999999999999ms",
        "net loss 20%", "net loss 200%", "net drop", "net drop a b", "app sleep", "app sleep 1ms x", "clock skew 1",
        "clock skew -9223372036854775808ms", "power dips", "net drop \u{202E} --dir in",
    ])
    func unknownActionsAreUnchanged(_ text: String) {
        #expect(EnvironmentAction(command: text).command == text)
        #expect(EnvironmentAction(command: text) == .other(text))
    }
}
