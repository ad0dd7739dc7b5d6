import Foundation
import TestSupport
import Testing

/// Tests of the output of `sessions list`, `sessions show` and `sessions search`.
@Suite(.onOwnThreads) struct SessionsTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try FileManager.default.createDirectory(
            atPath: sandbox.file("calls"), withIntermediateDirectories: true)
        try sandbox.recordKick("calls/a.pcapng")
        try sandbox.recordKick("calls/b.pcapng", ["--seed", "2"])
    }

    private func count(_ file: String, _ filter: String) throws -> Int {
        try sandbox.imrepl("show", file, "--filter", filter).lines.count
    }

    // MARK: List and show

    @Test func `the list is a table: name, time, profile, devices, duration, kicks, faults, outcome, the newest first`()
        throws
    {
        let folder = "\(sandbox.path)/sessions"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (index, name) in ["a", "b"].enumerated() {
            try FileManager.default.copyItem(
                atPath: sandbox.file("calls/\(name).pcapng"), toPath: "\(folder)/\(name).pcapng")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 + Double(index))],
                ofItemAtPath: "\(folder)/\(name).pcapng")
        }
        try sandbox.write("no recording", "sessions/c.pcapng")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: "\(folder)/c.pcapng")
        for arguments in [["sessions"], ["sessions", "list"]] {
            let result = try sandbox.imrepl(arguments)
            #expect(result.status == 0)
            #expect(result.errors == "")
            try #require(result.lines.count == 4)
            #expect(
                result.lines[0].split(separator: " ").map(String.init)
                    == ["NAME", "RECORDED", "PROFILE", "DEVICES", "DURATION", "KICKS", "FAULTS", "OUTCOME"])
            for (line, name) in zip(result.lines.dropFirst(), ["b", "a"]) {
                let cells = line.split(separator: " ").map(String.init)
                #expect(cells.first == name)
                // The session has two devices, one kick, and a working network.
                #expect(cells[3] == "nim" && cells[4] == "2" && Array(cells[6...7]) == ["1", "0"], "\(line)")
                #expect(line.hasSuffix("kicked, online"), "\(line)")
            }
            #expect(result.lines[3].hasPrefix("c ") && result.lines[3].contains("unreadable: "))
        }
    }

    @Test func `show prints a summary of the recording`() throws {
        let result = try sandbox.imrepl("sessions", "show", "calls/a.pcapng")
        #expect(result.status == 0)
        #expect(result.errors == "")
        let rows = Dictionary(
            result.lines.compactMap { line in
                line.firstIndex(of: " ").map {
                    (String(line[..<$0]), line[$0...].trimmingCharacters(in: .whitespaces))
                }
            }, uniquingKeysWith: { first, _ in first })
        #expect(rows["file"] == "calls/a.pcapng")
        #expect(rows["title"] == "kick.imr")
        #expect(rows["profile"] == "nim")
        #expect(rows["users"] == "alice")
        #expect(rows["phone"] == "ends kicked")
        #expect(rows["pad"] == "ends online")
        #expect(rows["kicks"] == "1")
        #expect(rows["complete"] == "yes")
        #expect(rows["events"] == String(try sandbox.imrepl("show", "calls/a.pcapng").lines.count))
        #expect(rows["nodes"]?.contains("phone") == true)
        #expect(rows["duration"]?.hasSuffix("s") == true)
    }

    @Test func `show reports that a file is not a recording`() throws {
        try sandbox.write("no recording", "c.pcapng")
        let foreign = try sandbox.imrepl("sessions", "show", "c.pcapng")
        #expect(foreign.status == 5)
        #expect(foreign.output == "")
        #expect(foreign.errors.hasPrefix("imrepl: c.pcapng: "))
        #expect(try sandbox.imrepl("sessions", "show", "nowhere.pcapng").status != 0)
    }

    // MARK: Search

    @Test func `search reports the recordings, the number of events and the first event of each`() throws {
        let filter = "kind == transition and node == phone"
        let result = try sandbox.imrepl("sessions", "search", filter, "calls")
        #expect(result.status == 0)
        #expect(result.errors == "")
        let counts = try ["calls/a.pcapng", "calls/b.pcapng"].map { try count($0, filter) }
        try #require(result.lines.count == 5)
        for (index, name) in ["a", "b"].enumerated() {
            let first = try sandbox.imrepl("show", "calls/\(name).pcapng", "--filter", filter).lines.first
            #expect(result.lines[2 * index] == "calls/\(name).pcapng  \(counts[index]) events, first:")
            #expect(result.lines[2 * index + 1] == "  \(first ?? "?")")
        }
        #expect(result.lines[4] == "2 of 2 recordings, \(counts[0] + counts[1]) events")
    }

    @Test func `search recognizes recordings, and reports in words that nothing matches`() throws {
        let kicked = try sandbox.imrepl("sessions", "search", "final-state == kicked and profile == nim", "calls")
        #expect(kicked.lines == ["calls/a.pcapng", "calls/b.pcapng", "2 of 2 recordings"])
        let none = try sandbox.imrepl("sessions", "search", "to == token-expired", "calls/a.pcapng")
        #expect(none.status == 0)
        #expect(none.lines == ["0 of 1 recording, 0 events"])
        let mixed = try sandbox.imrepl("sessions", "search", "kicks > 1 or n == 1", "calls/a.pcapng")
        #expect(mixed.lines.first == "calls/a.pcapng  1 event, first:")
    }

    @Test func `an invalid filter is refused before any file is read`() throws {
        let result = try sandbox.imrepl("sessions", "search", "knd == frame", "calls")
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("there is no field 'knd'"))
        #expect(result.errors.contains("did you mean 'kind'?"))
    }

    @Test func `events before a damage are found, and the damage is reported`() throws {
        let filter = "kind == transition"
        let numbers = try sandbox.imrepl("show", "--json", "--filter", filter, "calls/a.pcapng").lines.map {
            try JSONLine($0).number
        }
        try #require(numbers.count > 4)
        // The test damages the length of the block with the third transition from the end.
        let damaged = numbers[numbers.count - 3]
        var bytes = [UInt8](try sandbox.data("calls/a.pcapng"))
        func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        var at = 0
        var number = 0
        while at + 12 <= bytes.count {
            let length = word(at + 4)
            if word(at) == 6 { number += 1 }
            if number == damaged { break }
            at += length
        }
        bytes[at + 4] ^= 0xFF
        bytes[at + 5] ^= 0x0F
        try sandbox.write(Data(bytes), "calls/a.pcapng")
        let result = try sandbox.imrepl("sessions", "search", filter, "calls")
        #expect(result.status == 5)
        #expect(result.lines.first == "calls/a.pcapng  \(numbers.count - 3) events, first:")
        #expect(result.lines.contains { $0.hasPrefix("calls/b.pcapng  ") })
        #expect(result.lines.last?.hasPrefix("2 of 2 recordings, ") == true)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains("calls/a.pcapng: "))
        // A file without a match before the damage is not listed, but its damage is reported.
        let later = try sandbox.imrepl("sessions", "search", "n == \(damaged + 1)", "calls/a.pcapng")
        #expect(later.status == 5)
        #expect(later.lines == ["0 of 1 recording, 0 events"])
        #expect(later.errors.contains("calls/a.pcapng: "))
    }
}
