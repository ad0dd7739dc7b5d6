import Foundation
import Testing

/// Tests of the line editor in a terminal, with a small shell that is built for these tests. Each test has its own tmux
/// server.
@Suite(.onOwnThreads) struct TerminalTests {
    let long = "登录 用户王小明的账号在很远很远的地方 并且继续写下去 abc"
    let longRows = ["demo> 登录 用户王小明的账号在很远很远的", "地方 并且继续写下去 abc"]

    // MARK: Events

    @Test func `an event does not change a long line and its cursor`() throws {
        let shell = try TerminalShell(columns: 40)
        let terminal = shell.terminal
        try terminal.type(long)
        try terminal.wait(forLast: longRows, column: 23)
        for _ in 0..<8 { try terminal.press("Left") }
        try terminal.wait(forLast: longRows, column: 11)
        try shell.printEvents("phone online 在线")
        try terminal.wait(forLast: ["phone online 在线"] + longRows, column: 11)
        try terminal.type("X中")
        let typed = ["demo> 登录 用户王小明的账号在很远很远的", "地方 并且继X中续写下去 abc"]
        try terminal.wait(forLast: ["phone online 在线"] + typed, column: 14)
        try terminal.press("Enter")
        // The editor's own copy of the line is complete, not only the screen.
        try terminal.wait(for: "并且继X中续写下去 abc]")
    }

    @Test func `events are printed above the line at any cursor position`() throws {
        let shell = try TerminalShell(columns: 40)
        let terminal = shell.terminal
        try terminal.type(long)
        try terminal.press("C-a")
        try terminal.wait(forLast: longRows, column: 6)
        try shell.printEvents("one")
        try terminal.wait(forLast: ["one"] + longRows, column: 6)
        // The cursor is at the edge of the first row: the character 地 does not fit there.
        for _ in 0..<17 { try terminal.press("Right") }
        let edge = try terminal.wait { $0.column == 0 && $0.current == longRows[1] }
        #expect(edge.last(3) == ["one"] + longRows)
        try shell.printEvents("two", "three")
        try terminal.wait(forLast: ["one", "two", "three"] + longRows, column: 0)
    }

    @Test func `an event at the bottom of the screen scrolls correctly`() throws {
        let shell = try TerminalShell(columns: 40, rows: 6)
        let terminal = shell.terminal
        for number in 1...4 { try terminal.enter("n\(number)") }
        try terminal.wait(for: "[n4]")
        try terminal.type(long)
        try terminal.wait(forLast: longRows, column: 23)
        let wide = String(repeating: "长", count: 30)
        try shell.printEvents(wide)
        try terminal.wait(
            forLast: [String(repeating: "长", count: 20), String(repeating: "长", count: 10)] + longRows, column: 23)
    }

    @Test func `neither events nor typed text are lost when many events arrive`() throws {
        let shell = try TerminalShell(columns: 60)
        let terminal = shell.terminal
        let text = "send bob 一二三四五六七八九十 abcdefghijklmnopqrstuvwxyz 一二三四五六七八九十"
        for (index, character) in text.enumerated() {
            if index % 4 == 0 { try shell.printEvents("flood 50") }
            try terminal.type(String(character))
        }
        let events = (text.count + 3) / 4 * 50
        try terminal.wait { $0.rows.joined().contains(text) && $0.rows.contains("flood 50") }
        try terminal.press("Enter")
        try terminal.wait { $0.rows.joined().contains("[\(text)]") && $0.current == TerminalShell.prompt }
        let printed = try terminal.scrollback()
        #expect(printed.filter { $0.hasPrefix("flood ") }.count == events)
        // No part of a line remains between the events.
        let prompts = printed.filter { $0.hasPrefix(TerminalShell.prompt) }
        #expect(prompts == ["demo> " + text, "demo> "], "\(printed)")
    }

    @Test func `an event in the middle of a key sequence has no effect on it`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("abc def")
        try terminal.press("Escape")
        try shell.printEvents("meanwhile")
        try terminal.wait(forLast: ["meanwhile", "demo> abc def"], column: 13)
        try terminal.press("b")
        try terminal.wait(forLast: ["meanwhile", "demo> abc def"], column: 10)
    }

    @Test func `an event keeps the hint`() throws {
        let shell = try TerminalShell(environment: ["FIXTURE_RIGHT": "[online]"])
        let terminal = shell.terminal
        try terminal.type("login ")
        try terminal.wait { $0.current.hasPrefix("demo> login USER [--token T]  ") && $0.column == 12 }
        try shell.printEvents("meanwhile")
        try terminal.wait { $0.rows.contains("meanwhile") && $0.current.contains("USER [--token T]") }
        try terminal.type("a")
        let typed = try terminal.wait { $0.column == 13 && !$0.current.contains("USER") }
        // The right-hand prompt keeps its position.
        #expect(typed.current.hasPrefix("demo> login a "))
        #expect(typed.current.hasSuffix("[online]"))
    }

    @Test func `the right arrow accepts the hint`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("login ")
        try terminal.wait(for: "USER [--token T]")
        try terminal.press("Right")
        try terminal.wait { $0.column == 28 }
        try terminal.press("Enter")
        try terminal.wait(for: "[login USER [--token T]]")
    }

    /// With these seeds, libedit showed a wrong screen before the fixes in this project.
    @Test(arguments: [2, 4, 5, 6] as [UInt64])
    func `after any edit, the screen shows the line`(seed: UInt64) throws {
        let columns = 37
        let shell = try TerminalShell(columns: columns)
        var model = EditedLine(seed: seed)
        for step in 1...190 {
            for key in model.edit() {
                switch key {
                case .text(let text): try shell.terminal.type(text)
                case .named(let name): try shell.terminal.press(name)
                }
            }
            if step % 10 == 0 { try shell.printEvents("event \(step)") }
            let (rows, row, column) = model.drawn(prompt: "demo> ", columns: columns)
            let event = step >= 10 ? "event \(step / 10 * 10)" : nil
            try shell.terminal.wait("step \(step): \(rows), cursor \(column),\(row)") { screen in
                let top = screen.rows.count - rows.count
                return screen.rows.last { $0.hasPrefix("event") } == event
                    && screen.rows.suffix(rows.count).elementsEqual(rows)
                    && screen.column == column && screen.row == top + row
            }
        }
    }

    // MARK: Ends

    @Test func `control C discards the line and the shell continues`() throws {
        let shell = try TerminalShell(columns: 40)
        let terminal = shell.terminal
        try terminal.type(long)
        try terminal.press("C-a", "C-c")
        try terminal.wait(forLast: [longRows[0], longRows[1] + "^C", "interrupted", "demo>"], column: 6)
        try terminal.enter("next")
        try terminal.wait(forLast: ["[next]", "demo>"])
    }

    @Test func `control D ends an empty line only`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("ab")
        try terminal.press("C-a", "C-d")
        try terminal.wait(forLast: ["demo> b"], column: 6)
        try terminal.press("C-d")
        try terminal.wait(forLast: ["demo>"], column: 6)
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
        try terminal.wait(forLast: ["demo> ^D", "end of file"], column: 0)
    }

    @Test func `the terminal's settings are restored after any end`() throws {
        for end in ["quit", "crash", "term"] {
            let shell = try TerminalShell(underBash: true)
            let terminal = shell.terminal
            #expect(try terminal.modes().contains("-isig"))
            if end == "term" {
                try shell.printEvents("terminate")
            } else {
                try terminal.enter(end)
            }
            try terminal.wait { $0.current == "$" }
            try terminal.enter("cat")
            try terminal.wait { $0.last(1) == ["$ cat"] && $0.column == 0 }
            // In `cat`, the terminal has its normal modes, and a paste has no brackets.
            let modes = try terminal.modes()
            #expect(modes.isSuperset(of: ["isig", "icanon", "echo"]), "after \(end)")
            try terminal.paste("plain\n")
            try terminal.wait(forLast: ["plain", "plain"])
        }
    }

    @Test func `control Z stops the shell and fg brings the line back`() throws {
        let shell = try TerminalShell(columns: 60, underBash: true)
        let terminal = shell.terminal
        try terminal.type("abc 中文 def")
        try terminal.press("Left", "C-z")
        try terminal.wait { $0.current == "$" && $0.rows.contains { $0.contains("Stopped") } }
        try terminal.enter("echo o\"k\"")
        try terminal.wait { $0.rows.contains("ok") && $0.current == "$" }
        try terminal.enter("fg")
        try terminal.wait { $0.current == "demo> abc 中文 def" && $0.column == 17 }
        try terminal.type("X")
        try terminal.wait { $0.current == "demo> abc 中文 deXf" }
        try shell.printEvents("event after fg")
        try terminal.wait(forLast: ["event after fg", "demo> abc 中文 deXf"], column: 18)
        try terminal.press("Enter")
        try terminal.wait(for: "[abc 中文 deXf]")
    }

    @Test func `without job control control Z has no lasting effect`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("abc")
        try terminal.press("C-z")
        try terminal.wait { $0.rows == ["demo> abc", "demo> abc"] && $0.column == 9 }
        try terminal.enter("d")
        try terminal.wait(for: "[abcd]")
    }
}
