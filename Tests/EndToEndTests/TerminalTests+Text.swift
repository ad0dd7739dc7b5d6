import Foundation
import Testing

extension TerminalTests {
    // MARK: Window size

    @Test func `after a resize to narrower or wider the whole line is shown`() throws {
        let shell = try TerminalShell(columns: 40)
        let terminal = shell.terminal
        try terminal.type(long)
        try terminal.wait(forLast: longRows, column: 23)
        try terminal.resize(columns: 30, rows: 24)
        let narrow = ["demo> 登录 用户王小明的账号在", "很远很远的地方 并且继续写下去", "abc"]
        try terminal.wait(forLast: narrow, column: 3)
        try shell.printEvents("narrow")
        try terminal.wait(forLast: ["narrow"] + narrow, column: 3)
        try terminal.resize(columns: 70, rows: 24)
        try terminal.wait { $0.last(1) == ["demo> " + long] && $0.column == 62 }
        try shell.printEvents("wide")
        try terminal.wait(forLast: ["wide", "demo> " + long], column: 62)
        try terminal.press("Enter")
        try terminal.wait(for: "[\(long)]")
    }

    // MARK: Paste

    @Test func `several pasted lines wait for confirmation`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.paste("one\ntwo 二\nthree\n")
        let question = "3 lines pasted; Enter runs all, ^C drops"
        try terminal.wait(forLast: ["  │ one", "  │ two 二", "  │ three", question], column: question.count + 1)
        try shell.printEvents("meanwhile")
        try terminal.type("x")
        try terminal.wait(forLast: ["  │ three", "meanwhile", question])
        try terminal.press("Enter")
        let run = ["meanwhile", "demo> one", "[one]", "demo> two 二", "[two 二]", "demo> three", "[three]", "demo>"]
        try terminal.wait(forLast: run, column: 6)
    }

    @Test func `control C discards a paste`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.paste("one\ntwo\n")
        try terminal.wait(for: "2 lines pasted")
        try terminal.press("C-c")
        try terminal.wait { $0.rows.contains("interrupted") && $0.current == "demo>" }
        #expect(try !terminal.screen().rows.contains("[one]"))
    }

    @Test func `one pasted line is inserted at the cursor and does not run`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("ab")
        try terminal.press("Left")
        try terminal.paste("中\t文\n")
        try terminal.wait(forLast: ["demo> a中 文b"], column: 12)
    }

    @Test func `a large paste is accepted completely`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.paste((1...2000).map { "line \($0) 不" }.joined(separator: "\n"))
        try terminal.wait(for: "2000 lines pasted")
        try terminal.press("Enter")
        try terminal.wait(forLast: ["demo> line 2000 不", "[line 2000 不]", "demo>"])
    }

    // MARK: Completion and history

    @Test func `TAB completes, then lists`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.type("lo")
        try terminal.press("Tab")
        try terminal.wait(forLast: ["demo> log"], column: 9)
        try terminal.press("Tab")
        try terminal.wait(forLast: ["login   does login", "logout  does logout", "demo> log"], column: 9)
        try terminal.type("in")
        try terminal.press("Tab")
        try terminal.wait { $0.current.hasPrefix("demo> login ") && $0.column == 12 }
        try terminal.type("王")
        try terminal.press("Tab")
        try terminal.wait(forLast: ["demo> login 王小"], column: 16)
        try terminal.press("Tab")
        try terminal.wait(forLast: ["王小明  王小红", "demo> login 王小"], column: 16)
    }

    @Test func `history is available in the next run, without lines that must not be stored`() throws {
        let shell = try TerminalShell(underBash: true)
        let terminal = shell.terminal
        try terminal.enter("first 不")
        try terminal.enter("login bob --token s3cret")
        try terminal.enter(" blank before")
        try terminal.wait(for: "[ blank before]")
        try terminal.press("Up")
        try terminal.wait(forLast: ["demo> first 不"], column: 14)
        try terminal.press("C-u")
        try terminal.enter("quit")
        try terminal.wait { $0.current == "$" }
        try terminal.enter("\"$SHELL_UNDER_TEST\"")
        try terminal.wait { $0.current == "demo>" }
        try terminal.press("Up")
        try terminal.wait { $0.current == "demo> first 不" && $0.column == 14 }
    }

    @Test func `control R finds Chinese text`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        for line in ["kick 不 d1", "kick 中 d2", "query 不"] { try terminal.enter(line) }
        try terminal.wait(forLast: ["[query 不]", "demo>"])
        try terminal.press("C-r")
        try terminal.wait { $0.current == "(history '')" }
        try terminal.type("不")
        try terminal.wait { $0.current == "(history '不') query 不" }
        try terminal.press("C-r")
        try terminal.wait { $0.current == "(history '不') kick 不 d1" }
        try shell.printEvents("meanwhile")
        try terminal.wait(forLast: ["meanwhile", "(history '不') kick 不 d1"])
        try terminal.press("C-r")
        try terminal.wait { $0.current == "(nothing older holds '不') kick 不 d1" }
        try terminal.press("Left")
        try terminal.wait(forLast: ["meanwhile", "demo> kick 不 d1"], column: 15)
        try terminal.press("Enter")
        try terminal.wait(forLast: ["demo> kick 不 d1", "[kick 不 d1]", "demo>"])
        try terminal.type("draft")
        try terminal.press("C-r")
        try terminal.type("kick")
        try terminal.wait { $0.current.hasPrefix("(history 'kick') kick ") }
        try terminal.press("C-g")
        try terminal.wait(forLast: ["demo> draft"], column: 11)
        try terminal.press("C-c", "C-r")
        try terminal.type("中")
        try terminal.wait { $0.current == "(history '中') kick 中 d2" }
        try terminal.press("Enter")
        try terminal.wait(forLast: ["demo> kick 中 d2", "[kick 中 d2]", "demo>"])
    }

    // MARK: Settings

    @Test func `an .editrc that resets the keys does not remove ours`() throws {
        let shell = try TerminalShell(editrc: "bind -v\n")
        let terminal = shell.terminal
        try terminal.type("lo")
        try terminal.press("Tab")
        try terminal.wait(forLast: ["demo> log"], column: 9)
        try terminal.press("Escape", "0", "i")
        try terminal.type("x")
        try terminal.wait(forLast: ["demo> xlog"], column: 7)
        try terminal.press("Escape")
        try shell.printEvents("in vi")
        try terminal.wait(forLast: ["in vi", "demo> xlog"])
        try terminal.press("C-c")
        try terminal.wait(forLast: ["demo> xlog^C", "interrupted", "demo>"])
        try terminal.paste("pasted 中\n")
        try terminal.wait(forLast: ["demo> pasted 中"], column: 15)
    }

    @Test func `edit off and a dumb terminal use plain reading`() throws {
        for (editrc, term) in [("edit off\n", "screen-256color"), ("", "dumb"), ("", "")] {
            let shell = try TerminalShell(environment: ["TERM": term], editrc: editrc)
            let terminal = shell.terminal
            try terminal.enter("login 王小明")
            try terminal.wait(forLast: ["demo> login 王小明", "[login 王小明]", "demo>"])
            try terminal.press("C-d")
            #expect(try terminal.waitForExit() == 0)
        }
    }

    @Test func `without a locale Chinese text is still accepted`() throws {
        let shell = try TerminalShell(environment: ["LC_ALL": "C", "LANG": ""])
        try shell.terminal.enter("login 王小明")
        try shell.terminal.wait(forLast: ["demo> login 王小明", "[login 王小明]", "demo>"])
    }

    @Test func `a secret is neither shown nor stored`() throws {
        let shell = try TerminalShell()
        let terminal = shell.terminal
        try terminal.enter("secret")
        try terminal.wait { $0.current == "password:" }
        try terminal.type("hunter2x")
        try terminal.press("BSpace")
        try shell.printEvents("meanwhile")
        try terminal.wait(forLast: ["demo> secret", "meanwhile", "password:"], column: 10)
        try terminal.press("Enter")
        try terminal.wait(for: "secret has 7 characters")
        #expect(try !terminal.scrollback().contains { $0.contains("hunter") })
        try terminal.enter("secret")
        try terminal.wait { $0.current == "password:" }
        try terminal.press("C-c")
        try terminal.wait(for: "secret has -1 characters")
    }

    @Test func `closing the editor ends a running read`() throws {
        let shell = try TerminalShell()
        try shell.terminal.type("half a line")
        try shell.terminal.wait(forLast: ["demo> half a line"], column: 17)
        try shell.printEvents("close")
        #expect(try shell.terminal.waitForExit() == 0)
        try shell.terminal.wait(forLast: ["demo> half a line", "end of file"], column: 0)
    }
}
