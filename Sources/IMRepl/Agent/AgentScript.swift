import Foundation
import IMDebugger
import IMShell

/// A script that an agent runs: in a simulated world, without files and without a recording.
enum AgentScript {
    /// Commands that read or write files, or leave the simulated world.
    private static let refused = ["rec", "record", "source", "sessions", "history"]

    static func run(_ text: String, limit: Int, seconds: Double) throws -> String {
        let script = try ScriptFile.parse(Array(text.utf8), named: "script", origin: .pipe, variables: [])
        for statement in script.statements { try check(statement) }
        var settings = WorldSettings()
        settings.kind = .simulated
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: .simulated, isScripted: true, title: "script of an agent")
        try ScriptFile.require(script, for: plan.dialect)
        let lines = AnswerLines()
        let deadline = Deadline(seconds: seconds)
        let shell = try Shell(
            plan, recording: .off, output: lines.output(), isInteractive: false, interruption: deadline.interruption)
        shell.isInterruptible = true
        let end = Date() + seconds
        var failure: String?
        var isLate = false
        do {
            try ScriptRunner(shell: shell, script: script).run { _, _ in
                isLate = Date() >= end
                return !isLate
            } onFailure: {
                failure = "\($0.error)"
                return false
            }
        } catch {
            failure = "\(error)"
        }
        if isLate || failure != nil && Date() >= end { failure = "the script takes longer than \(Int(seconds)) s" }
        try shell.close()
        let answers = lines.all
        var answer = AnswerObject()
        answer.add("status", failure == nil ? "ok" : "failed")
        answer.add("text", failure)
        answer.add("answers", json: "[\(answers.suffix(limit).joined(separator: ","))]")
        answer.add("omitted", number: lines.droppedCount + max(answers.count - limit, 0))
        return answer.json
    }

    private static func check(_ statement: Statement) throws {
        let words = statement.words.map(\.literal)
        let name = words.first.flatMap { $0 }
        // A word that is known only at run time could be any option.
        let isFile = words.dropFirst().contains { word in
            guard let word else { return true }
            return ["--token-file", "--token-env", "--password-file"].contains { word.hasPrefix($0) }
        }
        let isLogin = ["login", "autologin", "renew-token"].contains(name)
        guard let name, !refused.contains(name.lowercased()), !isLogin || !isFile else {
            throw CommandFailure(
                "line \(statement.position.line): an agent's script may not use files, or variables in a login: "
                    + "'\(statement.words.first?.source ?? "")'")
        }
    }
}
