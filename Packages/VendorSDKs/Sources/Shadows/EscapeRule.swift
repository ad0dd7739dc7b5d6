/// A word in a source file that bypasses the stand-ins, and the advice for it.
struct EscapeRule {
    let words: String
    let advice: String

    init(_ words: String, _ advice: String) {
        self.words = words
        self.advice = advice
    }

    static let all: [EscapeRule] =
        [
            "DispatchQueue", "DispatchGroup", "DispatchSemaphore", "DispatchWorkItem", "DispatchSource",
        ].map { EscapeRule("Dispatch.\($0)", "is the real one; write \($0)") }
        + [
            "Timer", "RunLoop", "Thread", "UserDefaults", "NotificationCenter", "NSLock",
        ].map { EscapeRule("Foundation.\($0)", "is the real one; write \($0)") }
        + [
            EscapeRule("pthread_create", "starts a real thread; use a queue or a task"),
            EscapeRule("pthread_mutex_lock", "blocks for real if it is held; use NSLock"),
            EscapeRule("URLSession", "is real and answers in real time; hand the app a protocol instead"),
            EscapeRule("OperationQueue", "runs on real threads; use a DispatchQueue"),
            EscapeRule("NSCondition", "waits on the real clock; use a DispatchSemaphore"),
            EscapeRule("NSRecursiveLock", "blocks for real if it is held; use NSLock"),
            EscapeRule("CFRunLoop", "is the real one; use RunLoop"),
            EscapeRule("RunLoop.current.run()", "never returns; wait for something"),
            EscapeRule("DispatchIO", "is real; it is not simulated"),
            EscapeRule("DispatchSource.makeReadSource", "is not simulated; only timers are"),
            EscapeRule("DispatchSource.makeSignalSource", "is not simulated; only timers are"),
            EscapeRule("FileManager", "is the machine's; keep what outlives the app in UserDefaults or the keychain"),
            EscapeRule("Process()", "starts a real program"),
            // Other random numbers follow from the seed.
            EscapeRule("UUID()", "differs from run to run; no order may depend on it"),
            EscapeRule("import XCTest", "is for tests in real time"),
        ]
}

/// A position in a source file that bypasses the stand-ins.
public struct Escape: Sendable {
    public let line: Int
    public let words: String
    public let advice: String
}

/// The positions in a file that bypass the stand-ins. Comments and single-line string literals are left out.
public func findEscapes(in source: String) -> [Escape] {
    var escapes: [Escape] = []
    for (index, line) in codeLines(of: source).enumerated() {
        for rule in EscapeRule.all where contains(line, rule) {
            escapes.append(Escape(line: index + 1, words: rule.words, advice: rule.advice))
        }
    }
    return escapes
}

private func contains(_ line: String, _ rule: EscapeRule) -> Bool {
    var rest = line[...]
    while let range = rest.firstRange(of: rule.words) {
        let before = line[..<range.lowerBound].last
        let after = line[range.upperBound...].first
        let startsName = before.map { !isPartOfName($0) && $0 != "." } ?? true
        let endsName = rule.words.last.map { !isPartOfName($0) } ?? true || after.map { !isPartOfName($0) } ?? true
        if startsName && endsName { return true }
        rest = rest[range.upperBound...]
    }
    return false
}

private func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
}

/// The lines of a file without comments and string literals.
private func codeLines(of source: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var depth = 0
    var isQuoted = false
    var rest = source[...]
    while let character = rest.popFirst() {
        if character.isNewline {
            lines.append(line)
            line = ""
            isQuoted = false
        } else if depth > 0 {
            if character == "*", rest.first == "/" {
                rest.removeFirst()
                depth -= 1
            }
        } else if isQuoted {
            if character == "\\" { _ = rest.popFirst() }
            if character == "\"" { isQuoted = false }
        } else if character == "/", rest.first == "/" {
            rest = rest.drop { !$0.isNewline }
        } else if character == "/", rest.first == "*" {
            depth += 1
        } else if character == "\"" {
            isQuoted = true
        } else {
            line.append(character)
        }
    }
    return lines + [line]
}
