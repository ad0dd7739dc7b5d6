import Foundation
import Recorder
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// Tests of `why` with scripts whose cause and rule are known. `Tests/WhyCases/README.md` describes the cases.
@Suite struct WhyCaseTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "WhyCases").path

    /// The expected answers in the head of a script.
    private struct ExpectedAnswer {
        var query = ""
        var causes: [String] = []
        var rules: [String] = []

        init(_ source: String) {
            for line in source.split(separator: "\n") {
                func value(_ key: String) -> String? {
                    line.hasPrefix("# \(key): ")
                        ? line.dropFirst(key.count + 4).trimmingCharacters(in: .whitespaces) : nil
                }
                if let text = value("ask") { query = text }
                if let text = value("cause") { causes.append(text) }
                if let text = value("rule") { rules = text.components(separatedBy: " or ") }
            }
        }
    }

    private struct Answer {
        var isCauseRight = false
        var rule: String?
        var text = ""
    }

    @Test func `why names the cause and the rule of each case`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
            .filter { $0.hasSuffix(".imr") }.sorted()
        #expect(names.count >= 120)
        var causes = 0
        var rules = 0
        for name in names {
            let source = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            let expectedAnswer = ExpectedAnswer(source)
            let answer: Answer
            do { answer = try self.answer(source, expectedAnswer) } catch {
                Issue.record("\(name): \(error)")
                continue
            }
            let isRuleRight = expectedAnswer.rules.contains(answer.rule ?? "none")
            if answer.isCauseRight { causes += 1 } else { print("\(name): cause \(answer.text)") }
            if isRuleRight { rules += 1 } else { print("\(name): rule \(answer.rule ?? "not known")") }
            // A missing answer is a gap, but another rule is a wrong answer.
            if let rule = answer.rule, !isRuleRight {
                Issue.record("\(name): '\(rule)' is none of \(expectedAnswer.rules)")
            }
        }
        print("\(causes) of \(names.count) causes, \(rules) of \(names.count) rules")
        #expect(causes * 100 >= names.count * 97)
        #expect(rules * 100 >= names.count * 95)
    }

    private func answer(_ source: String, _ expectedAnswer: ExpectedAnswer) throws -> Answer {
        let reader = try SessionReader(bytes: try Played.recording(source))
        let session = try ReplaySession(reader, path: "played", output: LineOutput.silent)
        let eventNumber = try #require(
            try session.shown(by: expectedAnswer.query).last, "\(expectedAnswer.query) matches nothing")
        let verdict = try CauseFinder(session.debug).explanation(of: eventNumber).verdict
        var answer = Answer(rule: verdict.rule?.ids.first)
        guard let cause = verdict.cause else { return answer }
        answer.text = try line(cause, session)
        answer.isCauseRight = try expectedAnswer.causes.contains { try isMeant($0, cause, session) }
        return answer
    }

    private func line(_ number: UInt64, _ session: ReplaySession) throws -> String {
        let event = try session.debug.event(number)
        return "\(event.node) \(try session.debug.text(of: event))"
    }

    /// True if the event matches the description of a cause: `TEXT`, or `TEXT #2` for the second event whose line
    /// contains the text.
    private func isMeant(_ cause: String, _ number: UInt64, _ session: ReplaySession) throws -> Bool {
        let parts = cause.components(separatedBy: " #")
        guard parts.count == 2, let ordinal = Int(parts[1]) else { return try line(number, session).contains(cause) }
        var found: [UInt64] = []
        for candidate in 1...session.debug.count where try line(candidate, session).contains(parts[0]) {
            found.append(candidate)
        }
        return found.count >= ordinal && found[ordinal - 1] == number
    }
}
