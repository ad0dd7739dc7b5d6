import IMText
import Testing

@testable import LineEditing

@Suite struct CompletionTests {
    private func edit(_ line: String, cursor: Int? = nil, from: Int, _ candidates: [String]) -> CompletionEdit {
        CompletionEdit(
            LineCompletion(replaceFrom: from, candidates: candidates.map { .init($0) }),
            line: line, cursor: cursor ?? line.utf8.count)
    }

    @Test func `a single candidate is inserted with a blank`() {
        #expect(edit("logi", from: 0, ["login"]).insert == "n ")
        #expect(edit("login 王", from: 6, ["王小明"]).insert == "小明 ")
    }

    @Test func `an existing blank is not doubled`() {
        #expect(edit("logi x", cursor: 4, from: 0, ["login"]).insert == "n")
    }

    @Test func `an unfinished candidate gets no blank`() {
        let completion = LineCompletion(replaceFrom: 0, candidates: [.init("code=", isComplete: false)])
        #expect(CompletionEdit(completion, line: "co", cursor: 2).insert == "de=")
    }

    @Test func `several candidates insert their common prefix, and are listed without one`() {
        #expect(edit("l", from: 0, ["login", "logout"]).insert == "og")
        #expect(edit("l", from: 0, ["login", "logout"]).listed.isEmpty)
        #expect(edit("log", from: 0, ["login", "logout"]).insert.isEmpty)
        #expect(edit("log", from: 0, ["login", "logout"]).listed.map(\.text) == ["login", "logout"])
        #expect(edit("", from: 0, ["a", "b"]).listed.count == 2)
    }

    @Test func `a candidate with another spelling replaces the typed text`() {
        let other = edit("login 王", from: 6, ["\"王 明\""])
        #expect(other.deleteCount == 1)
        #expect(other.insert == "\"王 明\" ")
    }

    @Test func `a common prefix that would remove typed text changes nothing`() {
        let none = edit("LOG", from: 0, ["login", "query"])
        #expect(none.deleteCount == 0)
        #expect(none.insert.isEmpty)
        #expect(none.listed.count == 2)
    }

    @Test func `without candidates nothing changes`() {
        #expect(edit("x", from: 0, []) == CompletionEdit(.none(at: 1), line: "x", cursor: 1))
    }

    @Test(arguments: [(-1, 1), (2, 1), (0, 9), (1, 3)])
    func `invalid offsets change nothing`(from: Int, cursor: Int) {
        let edit = edit("a王", cursor: cursor, from: from, ["abc"])
        #expect(edit.deleteCount == 0)
        #expect(edit.insert.isEmpty)
    }

    private let listing = CompletionListing(columns: 20, rows: 5, width: { $0.count })

    @Test func `names with help have one row each`() {
        #expect(
            listing.lines([.init("login", help: "log a user in"), .init("kick", help: "end it")])
                == ["login  log a user …", "kick   end it"])
    }

    @Test func `names alone are listed in columns, down first`() {
        #expect(listing.lines(["aa", "b", "c", "d", "e"].map { .init($0) }) == ["aa  c   e", "b   d"])
    }

    @Test func `candidates that do not fit are counted`() {
        let lines = listing.lines((0..<9).map { .init("name-number-\($0)") })
        #expect(lines.count == 5)
        #expect(lines.last == "… and 5 more rows; type more letters")
    }
}
