import Foundation
import TestSupport
import Testing

@testable import LineEditing

@Suite struct HistoryFileTests {
    private let sandbox: Sandbox
    private let warnings = Collected()
    private var folder: String { sandbox.file("state/imrepl") }

    init() throws { sandbox = try Sandbox() }

    private func file(redact: @escaping HistoryFile.Redaction = { $0 }) -> HistoryFile {
        HistoryFile(
            folder: folder,
            stamp: { (Date(timeIntervalSince1970: 1_700_000_000), "nim") },
            redact: redact,
            warn: { [warnings] in warnings.add($0) }
        )
    }

    @Test func `commands are read in the next run, oldest first`() {
        let first = file()
        first.append("login 王小明")
        first.append("query \"a b\"  ")
        first.append("query \"a b\"")
        #expect(file().load() == ["login 王小明", "query \"a b\""])
        #expect(
            file().entries().first
                == HistoryEntry(time: Date(timeIntervalSince1970: 1_700_000_000), profile: "nim", command: "login 王小明"))
        #expect(warnings.all.isEmpty)
    }

    @Test func `the file is readable only by its owner`() throws {
        file().append("login alice")
        let attributes = try FileManager.default.attributesOfItem(atPath: file().path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folders = try FileManager.default.attributesOfItem(atPath: folder)
        #expect(folders[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a file that others can read is made private`() throws {
        file().append("a")
        chmod(file().path, 0o644)
        file().append("b")
        let attributes = try FileManager.default.attributesOfItem(atPath: file().path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["", " login alice", "\tlogin alice", "  "])
    func `a line that begins with a blank is not stored`(line: String) {
        #expect(file().append(line) == nil)
        #expect(!FileManager.default.fileExists(atPath: file().path))
    }

    @Test func `secrets are never written to the file`() throws {
        let file = file { command in
            if command.hasPrefix("server account password") { return nil }
            return command.replacing(/--token \S+/, with: "--token …")
        }
        #expect(file.append("login alice --token s3cret") == "login alice --token …")
        #expect(file.append("server account password alice s3cret") == nil)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(!text.contains("s3cret"))
        #expect(file.load() == ["login alice --token …"])
    }

    @Test func `two sessions at the same time lose nothing`() async {
        await withTaskGroup { group in
            for session in 0..<2 {
                group.addTask {
                    let history = file()
                    for number in 0..<200 { history.append("session \(session) command \(number) 不") }
                }
            }
        }
        let commands = file().load()
        #expect(commands.count == 400)
        for session in 0..<2 {
            let own = commands.filter { $0.hasPrefix("session \(session) ") }
            #expect(own == (0..<200).map { "session \(session) command \($0) 不" })
        }
    }

    @Test func `invalid lines are skipped, and a truncated one does not affect others`() throws {
        let file = file()
        file.append("before")
        let handle = try #require(FileHandle(forWritingAtPath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("not json\n{}\n\n[1]\n\u{0}\n{\"command\":\"torn".utf8))
        try handle.write(contentsOf: Data([0xFF]))
        try handle.close()
        file.append("after")
        #expect(file.load() == ["before", "after"])
        #expect(warnings.all.isEmpty)
    }

    @Test func `only the end of a long file is read`() throws {
        let file = file()
        file.append("first")
        let handle = try #require(FileHandle(forWritingAtPath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: HistoryFile.loadedBytesMax))
        try handle.close()
        file.append("last")
        #expect(file.load() == ["last"])
    }

    @Test func `only the newest commands are loaded`() {
        let file = file()
        for number in 0..<(HistoryFile.loadedCountMax + 2) { file.append("n\(number)") }
        let loaded = file.load()
        #expect(loaded.count == HistoryFile.loadedCountMax)
        #expect(loaded.first == "n2")
    }

    @Test func `a folder that cannot be created gives one warning, and every command works`() throws {
        let blocker = sandbox.file("blocker")
        try Data().write(to: URL(fileURLWithPath: blocker))
        let file = HistoryFile(
            folder: blocker + "/imrepl", stamp: { (Date(), "nim") }, warn: { [warnings] in warnings.add($0) })
        #expect(file.append("login alice") == "login alice")
        #expect(file.append("logout") == "logout")
        #expect(warnings.all == ["history is not saved: \(blocker)/imrepl/history.jsonl: Not a directory"])
    }

    @Test func `a folder in place of the file gives a warning`() throws {
        try FileManager.default.createDirectory(atPath: file().path, withIntermediateDirectories: true)
        #expect(file().load() == [])
        #expect(warnings.all == ["history cannot be read: \(file().path): Is a directory"])
    }

    @Test func `search goes to older commands and back`() {
        let commands = ["login 王", "kick 不 d1", "login bob", "query state"]
        #expect(HistorySearch.find("login", in: commands, from: 0, step: 1) == 1)
        #expect(HistorySearch.find("login", in: commands, from: 2, step: 1) == 3)
        #expect(HistorySearch.find("login", in: commands, from: 4, step: 1) == nil)
        #expect(HistorySearch.find("login", in: commands, from: 2, step: -1) == 1)
        #expect(HistorySearch.find("login", in: commands, from: 0, step: -1) == nil)
        #expect(HistorySearch.find("login", in: commands, from: -1, step: -1) == nil)
        #expect(HistorySearch.find("不", in: commands, from: 0, step: 1) == 2)
        #expect(HistorySearch.find("", in: commands, from: 0, step: 1) == nil)
        #expect(HistorySearch.find("x", in: [], from: 0, step: 1) == nil)
        #expect(HistorySearch.continuation(of: "log", in: commands) == "in bob")
        #expect(HistorySearch.continuation(of: "query state", in: commands) == nil)
        #expect(HistorySearch.continuation(of: "", in: commands) == nil)
    }
}
