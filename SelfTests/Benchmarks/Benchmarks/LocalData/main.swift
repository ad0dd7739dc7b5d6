import Foundation
import IMLive
import IMLocalData
import IMProtocol

// Measures how long queries about a large history take, and compares each with an equivalent SQL statement in the
// `sqlite3` program on the same file. The file is created if it does not exist.
//
//     swift run -c release --package-path SelfTests/Benchmarks LocalData FILE [MESSAGES]

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    print("usage: LocalData FILE [MESSAGES]")
    exit(2)
}
let path = arguments[1]
let population = Population(
    seed: 1, messages: arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000, conversations: 10_000,
    days: 365, endMilliseconds: 1_700_000_000_000)

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let taken = (ContinuousClock.now - start).components
    return Double(taken.seconds) + Double(taken.attoseconds) / 1e18
}

func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1000) }

/// The peak memory of this process, in megabytes.
var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
}

/// The number of times that each query runs, because the timer of the `sqlite3` program has milliseconds.
let repetitions = 20

/// The time of a statement in the `sqlite3` program by its own timer, on average without the first run.
func sqlite3(_ sql: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-readonly", path]
    let output = Pipe()
    process.standardOutput = output
    let input = Pipe()
    process.standardInput = input
    try process.run()
    // The statements are written to the standard input, because the timer does not cover a statement in the arguments.
    input.fileHandleForWriting.write(
        Data("\(sql);\n.timer on\n\(String(repeating: "\(sql);\n", count: repetitions))".utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let times = text.split(separator: "\n").filter { $0.hasPrefix("Run Time") }.map { $0.split(separator: " ")[3] }
    return times.count == repetitions ? times.reduce(0) { $0 + (Double($1) ?? .nan) } / Double(repetitions) : .nan
}

if !FileManager.default.fileExists(atPath: path) {
    let store = try SQLiteUserData(path: path, owner: "alice")
    let count = population.count(owner: "alice")
    let taken = try seconds {
        for first in stride(from: 0, to: count, by: FramePages.changesMax) {
            let last = min(first + FramePages.changesMax, count)
            try store.apply(
                population.changes(in: first..<last, owner: "alice"), upTo: UInt64(last), isMore: last < count)
        }
    }
    try store.close()
    print("\(count) changes in pages of \(FramePages.changesMax): \(String(format: "%.1f", taken)) s, \(peak) MB")
    exit(0)
}

let newest = "ORDER BY timestamp DESC, sequence DESC, localID DESC LIMIT 21"
var store: SQLiteUserData?

@MainActor func row(_ what: String, _ request: LocalRequest, sql: String) throws {
    var answer = LocalAnswer()
    let own = try seconds {
        if store == nil { store = try SQLiteUserData(path: path, owner: "alice") }
        answer = try store?.answer(request) ?? answer
    }
    let again = try seconds { for _ in 0..<repetitions { _ = try store?.answer(request) } } / Double(repetitions)
    let other = try sqlite3(sql)
    print(
        "| \(what) | \(answer.rows.count) | \(milliseconds(own)) | \(milliseconds(again)) | \(milliseconds(other)) "
            + "| \(String(format: "%.2f", again / other)) |")
}

@MainActor func search(_ word: String) throws {
    try row(
        "search '\(word)'", LocalRequest(.searchGlobalLocalMessages, [("keywords", word)]),
        sql: "SELECT * FROM message WHERE text LIKE '%\(word)%' OR fileName LIKE '%\(word)%' \(newest)")
}

print("| what | rows | first | again | sqlite3 | again / sqlite3 |")
print("|---|---|---|---|---|---|")
try row(
    "open, first page of conversations", LocalRequest(.queryConversationList),
    sql: """
        SELECT conversation.*, (SELECT text FROM message WHERE conversation = serial \
        ORDER BY timestamp DESC, sequence DESC, localID DESC LIMIT 1) FROM conversation WHERE listed \
        ORDER BY pinned DESC, orderKey DESC, serial DESC LIMIT 21
        """)
let largest = "victor.turner1"
try row(
    "page of history", LocalRequest(.queryHistoryMessage, [("conversationID", largest)]),
    sql: """
        SELECT * FROM message WHERE conversation = (SELECT serial FROM conversation WHERE id = '\(largest)') \(newest)
        """)
for word in ["qqqq", "zebra", "电梯", "发票", "梯", "的", "e", "the"] { try search(word) }
print("\npeak \(peak) MB")
