import Foundation
import Testing

@testable import LineEditing

@Suite struct PlainLineReaderTests {
    /// A reader of a file with these bytes.
    private func reader(_ bytes: [UInt8], lineBytesMax: Int = 1000) throws -> PlainLineReader {
        let path = NSTemporaryDirectory() + "lines-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        // The descriptor stays open after the file is removed. It is not closed, because the process is short.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        return PlainLineReader(descriptor: descriptor, source: "a.imr", lineBytesMax: lineBytesMax)
    }

    private func all(_ bytes: [UInt8], lineBytesMax: Int = 1000) throws -> [String] {
        let reader = try reader(bytes, lineBytesMax: lineBytesMax)
        var texts: [String] = []
        while true {
            do {
                guard case .line(let line) = try reader.readLine(prompt: Prompt("> ")) else { return texts }
                texts.append(line)
            } catch {
                texts.append("! \(error)")
            }
        }
    }

    @Test(arguments: [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\n", ["a\rb"]),
        ("a\r", ["a\r"]),
        ("\n\nlogin 王小明\n", ["", "", "login 王小明"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
    ])
    func `lines end with a newline, with or without a carriage return`(text: String, lines: [String]) throws {
        #expect(try all(Array(text.utf8)) == lines)
    }

    @Test func `invalid UTF-8 is reported with line and column, and the next line is read`() throws {
        let bytes = Array("ok\n中".utf8) + [0xFF] + Array("x\nlast\n".utf8)
        #expect(try all(bytes) == ["ok", "! a.imr:2:2: not UTF-8 (byte 0xff)", "last"])
    }

    @Test(
        arguments: [
            [0xC0, 0x80],  // overlong
            [0xED, 0xA0, 0x80],  // a surrogate
            [0xF4, 0x90, 0x80, 0x80],  // beyond Unicode
            [0xE4, 0xB8],  // cut off
        ] as [[UInt8]])
    func `almost valid UTF-8 is refused`(bytes: [UInt8]) throws {
        let read = try all(Array("a".utf8) + bytes)
        #expect(read == ["! a.imr:1:2: not UTF-8 (byte 0x\(String(bytes[0], radix: 16)))"])
    }

    @Test func `a NUL byte is refused with its position`() throws {
        #expect(try all(Array("用a\0b\nc\n".utf8)) == ["! a.imr:1:3: NUL byte", "c"])
    }

    @Test func `a line of maximum length is accepted and one byte more is refused`() throws {
        let long = String(repeating: "x", count: 10)
        #expect(try all(Array("\(long)\r\nb\n".utf8), lineBytesMax: 10) == [long, "b"])
        let refused = "! a.imr:1:11: line is longer than 10 bytes"
        #expect(try all(Array("\(long)y\nb\n".utf8), lineBytesMax: 10) == [refused, "b"])
        #expect(try all(Array("\(long)y".utf8), lineBytesMax: 10) == [refused])
    }

    @Test func `a line of many chunks is refused without being stored`() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000) + Array("\nb".utf8)
        #expect(try all(bytes, lineBytesMax: 100_000) == ["! a.imr:1:100001: line is longer than 100000 bytes", "b"])
        #expect(try all(bytes, lineBytesMax: 300_000).last == "b")
    }

    @Test func `a line that arrives in pieces is one line`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = PlainLineReader(descriptor: ends[0], source: "stdin")
        let bytes = Array("lo中\nx".utf8)
        for piece in [bytes[..<3], bytes[3...]] {
            _ = piece.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        }
        Foundation.close(ends[1])
        #expect(try reader.readLine(prompt: Prompt("")) == .line("lo中"))
        #expect(reader.lineNumber == 1)
        #expect(try reader.readLine(prompt: Prompt("")) == .line("x"))
        #expect(try reader.readLine(prompt: Prompt("")) == .endOfFile)
        #expect(try reader.readLine(prompt: Prompt("")) == .endOfFile)
        Foundation.close(ends[0])
    }

    @Test func `a descriptor that cannot be read is an error, and then the end`() throws {
        let reader = PlainLineReader(descriptor: -1, source: "gone.imr")
        #expect(throws: LineError(source: "gone.imr", line: 1, column: 1, problem: .unreadable(SystemFailure(EBADF)))) {
            try reader.readLine(prompt: Prompt(""))
        }
        #expect(try reader.readLine(prompt: Prompt("")) == .endOfFile)
    }

    @Test func `a secret is never read from a script`() throws {
        let reader = try reader(Array("hunter2\n".utf8))
        #expect(throws: LineEditorError.noTerminal) { try reader.readSecret(prompt: "password: ") }
    }

    @Test func `prompts and posted lines contain no escape sequence of ours`() throws {
        let output = Collected()
        let reader = PlainLineReader(descriptor: -1, source: "x", showsPrompt: true, output: { output.add($0) })
        _ = try? reader.readLine(prompt: Prompt("im> ", .green, right: "[online]"))
        reader.post(["a", "b"])
        #expect(output.text == "im> a\nb\n")
    }

    @Test func `output during a prompt is printed on its own lines, and the prompt is repeated`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { Foundation.close(ends[0]) }
        let output = Collected()
        let (shown, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = PlainLineReader(
            descriptor: ends[0], showsPrompt: true,
            output: { text in
                output.add(text)
                if text == "im> " { shown.signal() }
            })
        Thread.detachNewThread {
            _ = try? reader.readLine(prompt: Prompt("im> "))
            done.signal()
        }
        shown.wait()
        reader.post(["kicked"])
        Foundation.close(ends[1])
        done.wait()
        reader.post(["later"])
        #expect(output.text == "im> \nkicked\nim> later\n")
    }

    @Test func `a closed reader is at its end`() throws {
        let reader = try reader(Array("a\n".utf8))
        reader.close()
        #expect(try reader.readLine(prompt: Prompt("")) == .endOfFile)
    }
}
